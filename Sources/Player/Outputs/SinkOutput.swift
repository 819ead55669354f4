package import AudioTypes
private import Synchronization
internal import Threads

/// Feeds a `FrameSink` from a thread of its own, as fast as frames come and the sink takes them.
package final class SinkOutput: FeedOutput {
    package let feed: FrameFeed
    private let finished = Doorbell()

    /// Frames passed to a sink at once.
    private static let chunk = 8_192

    /// - Parameter sink: Used only on the output's thread from here on.
    package init(format: AudioFormat, sink: sending any FrameSink) {
        feed = FrameFeed(format: format)
        let transfer = Mutex<(any FrameSink)?>(sink)
        WorkThread.startWhenPossible(named: "segue-sink") { [self] in
            blockBrokenPipeSignal()
            if let sink = transfer.withLock({ $0.take() }) { run(sink) }
            finished.ring()
        }
    }

    package func close() {
        feed.close()
        finished.wait()
    }

    // MARK: The thread

    private func run(_ sink: any FrameSink) {
        let size = format.bytesPerFrame
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.chunk * size, alignment: 64)
        defer { unsafe buffer.deallocate() }
        while let count = unsafe feed.read(into: buffer) {
            guard count > 0 else {
                feed.wait()
                continue
            }
            do {
                unsafe try sink.write(UnsafeRawBufferPointer(rebasing: buffer[..<(count * size)]))
                feed.tell(.clockChanged)
            } catch {
                feed.fail("\(error)")
            }
        }
        do { try sink.finish() } catch { feed.fail("\(error)") }
    }
}
