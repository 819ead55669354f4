internal import CFFmpeg
private import Glibc
internal import HTTP
internal import LibAV
internal import Threads

/// Standard input as a medium: read in order, not seekable, and interruptible while nothing arrives.
///
/// libavformat's own `pipe:` blocks in `read`, out of reach of interrupts.
@safe
final class StandardInput {
    let context: UnsafeMutablePointer<AVIOContext>
    private let interrupt: Interrupt

    init(interrupt: Interrupt) throws(FFmpegError) {
        let size = 65_536
        let operation: StaticString = "cannot open"
        guard let buffer = unsafe av_malloc(size) else {
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation)
        }
        self.interrupt = interrupt
        let opaque = unsafe Unmanaged.passUnretained(interrupt).toOpaque()
        let context = unsafe avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self),
            Int32(size),
            0,
            opaque,
            readStandardInput,
            nil,
            nil
        )
        guard let context = unsafe context else {
            unsafe av_free(buffer)
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation)
        }
        unsafe context.pointee.seekable = 0
        unsafe self.context = context
    }

    deinit {
        // libavformat may have replaced the buffer ("It may be … replaced with a new buffer by libavformat", avio.h).
        unsafe av_freep(&context.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe avio_context_free(&context)
    }
}

/// Waits for bytes or an interrupt, whichever comes first (`AVIOContext.read_packet`).
private func readStandardInput(
    _ opaque: UnsafeMutableRawPointer?,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ size: Int32
) -> Int32 {
    guard let opaque = unsafe opaque, let buffer = unsafe buffer else { return segue_AVERROR_EOF }
    let interrupt = unsafe Unmanaged<Interrupt>.fromOpaque(opaque).takeUnretainedValue()
    while true {
        if interrupt.isRaised { return segue_AVERROR_EXIT }
        var descriptors = [
            pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0),
            pollfd(fd: interrupt.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        guard unsafe poll(&descriptors, 2, -1) >= 0 else {
            if errno == EINTR { continue }
            return -errno
        }
        guard descriptors[0].revents != 0 else { continue }
        let count = unsafe read(STDIN_FILENO, buffer, Int(size))
        if count > 0 { return Int32(count) }
        if count == 0 { return segue_AVERROR_EOF }
        if errno != EINTR && errno != EAGAIN { return -errno }
    }
}
