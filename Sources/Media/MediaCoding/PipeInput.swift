internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues
internal import Files
private import Glibc
internal import HTTP
internal import Threads

/// Standard input or a FIFO as a medium: read in order, not seekable, and interruptible while nothing arrives.
///
/// libavformat's own `pipe:` and `file:` block in `read`, and in `open` of a FIFO that has no writer, out of reach of
/// interrupts. A FIFO is opened once: one that is closed and opened again ends a writer that writes in between (`SIGPIPE`).
@safe
final class PipeInput {
    let context: UnsafeMutablePointer<AVIOContext>
    private let pipe: Descriptor
    private let interrupt: Interrupt

    /// - Throws: `FFmpegError` if the FIFO cannot be opened.
    /// - Returns: `nil` for a medium that is neither standard input nor a FIFO.
    static func open(_ entry: MediaEntry, interrupt: Interrupt) throws(FFmpegError) -> PipeInput? {
        if entry.location == "-" {
            return try PipeInput(Descriptor(borrowing: STDIN_FILENO), interrupt)
        }
        guard let path = entry.filePath, entry.isPipe else { return nil }
        let pipe: Descriptor
        do throws(SystemError) {
            pipe = try Descriptor(path, .reading)
        } catch {
            throw FFmpegError(code: -error.number, operation: "cannot open")
        }
        return try PipeInput(pipe, interrupt)
    }

    private init(_ pipe: consuming Descriptor, _ interrupt: Interrupt) throws(FFmpegError) {
        self.pipe = pipe
        self.interrupt = interrupt
        let size = 65_536
        let operation: StaticString = "cannot open"
        guard let buffer = unsafe av_malloc(size) else {
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation)
        }
        let context = unsafe avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self),
            Int32(size),
            0,
            nil,
            readPipe,
            nil,
            nil
        )
        guard let context = unsafe context else {
            unsafe av_free(buffer)
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation)
        }
        unsafe self.context = context
        unsafe context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        unsafe context.pointee.seekable = 0
    }

    deinit {
        // libavformat may have replaced the buffer ("It may be … replaced with a new buffer by libavformat", avio.h).
        unsafe av_freep(&context.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe avio_context_free(&context)
    }

    /// Waits for bytes or an interrupt, whichever comes first.
    fileprivate func read(into buffer: UnsafeMutablePointer<UInt8>, atMost size: Int) -> Int32 {
        while true {
            if interrupt.isRaised { return segue_AVERROR_EXIT }
            // A FIFO without a first writer yet reads as if at its end; this waits for one.
            let ready = Readiness.wait(for: [.readable(pipe.number), .readable(interrupt.descriptor)])
            guard ready[0] else { continue }
            let count = unsafe Glibc.read(pipe.number, buffer, size)
            if count > 0 { return Int32(count) }
            if count == 0 { return segue_AVERROR_EOF }
            if errno != EINTR && errno != EAGAIN { return -errno }
        }
    }
}

extension MediaEntry {
    /// Whether it can be read once only, in order.
    var isPipe: Bool { location == "-" || filePath.flatMap { try? FileStatus(of: $0) }?.kind == .pipe }
}

/// `AVIOContext.read_packet`.
private func readPipe(
    _ opaque: UnsafeMutableRawPointer?,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ size: Int32
) -> Int32 {
    guard let opaque = unsafe opaque, let buffer = unsafe buffer else { return segue_AVERROR_EOF }
    let input = unsafe Unmanaged<PipeInput>.fromOpaque(opaque).takeUnretainedValue()
    return unsafe input.read(into: buffer, atMost: Int(size))
}
