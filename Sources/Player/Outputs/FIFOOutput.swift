package import AudioTypes
private import Glibc
package import Mixing
internal import Threads

/// Writes raw frames to a FIFO while it has a reader; without one it is lost, and costs nothing.
///
/// It takes frames as fast as they come, so another clock has to set the pace. Frames it has taken count as heard,
/// whether the reader kept up or not.
package final class FIFOOutput: FeedOutput {
    package let feed: FrameFeed
    private let fifo: FIFO
    private let finished = Doorbell()

    /// Frames written at once.
    private static let chunk = 2_048
    /// Seconds of frames that the pipe should hold for a late reader.
    private static let pipeLength = 0.5

    /// Opens or creates the FIFO; its reader may come and go.
    ///
    /// - Parameter record: The record of FIFOs to be removed on close, whichever process created them.
    /// - Throws: A one-line reason why the path cannot be used.
    package init(path: String, format: AudioFormat = .cd, record: (any FIFORecord)? = nil) throws {
        feed = FrameFeed(format: format, hasTaker: false)
        fifo = try FIFO(path: path, record: record)
        try WorkThread.start(named: "segue-fifo") { [self] in
            blockBrokenPipeSignal()
            run()
            finished.ring()
        }
    }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        if !feed.attach(ring, at: position, events: events) { events(.lost(reason)) }
    }

    package func close() {
        feed.close()
        // The thread may be waiting for a reader, or about to.
        let reader = fifo.openReader()
        finished.wait()
        if reader >= 0 { Glibc.close(reader) }
        fifo.remove()
    }

    // MARK: The thread

    private var reason: String { "\(fifo.path): no process reads it" }

    private func run() {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk * format.bytesPerFrame, alignment: 64)
        defer { unsafe buffer.deallocate() }
        while !feed.isClosing {
            let capacity = format.frames(in: Self.pipeLength) * format.bytesPerFrame
            guard let descriptor = fifo.waitForReader(capacity: capacity) else { return }
            feed.setTaker(true, .restored)
            unsafe serve(descriptor, buffer)
            Glibc.close(descriptor)
            feed.setTaker(false, .lost(reason))
        }
    }

    /// Writes frames until the last reader has left.
    private func serve(_ descriptor: Int32, _ buffer: UnsafeMutableRawBufferPointer) {
        // The rest of a frame that was written in part.
        var rest = [UInt8]()
        var hasWritten = false
        while true {
            guard let count = unsafe feed.read(into: buffer) else { return }
            if count == 0 {
                if hasWritten { feed.tell(.clockChanged) }
                hasWritten = false
                feed.wait()
                continue
            }
            if !rest.isEmpty {
                let written = unsafe rest.withUnsafeBytes { unsafe write(descriptor, $0.baseAddress, $0.count) }
                if written < 0, errno != EAGAIN, errno != EINTR { return }
                rest.removeFirst(max(0, written))
                if !rest.isEmpty { continue }
            }
            hasWritten = true
            let bytes = count * format.bytesPerFrame
            let written = unsafe write(descriptor, buffer.baseAddress, bytes)
            if written < 0, errno != EAGAIN, errno != EINTR { return }
            let part = max(0, written) % format.bytesPerFrame
            if part > 0 { unsafe rest = Array(buffer[written..<written + format.bytesPerFrame - part]) }
        }
    }
}
