internal import CFFmpeg
internal import FFmpegValues

/// A source of bytes for libavformat.
protocol ByteInput: AnyObject {
    /// Waits for bytes.
    ///
    /// - Returns: The number of bytes; 0 at the end.
    func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int

    /// The number of bytes, if they can be read at random; `nil` if only in order.
    var seekableSize: Int? { get }

    /// Makes the next read start at an offset.
    func seek(to offset: Int)
}

/// Provides bytes to libavformat (`AVIOContext`), and remembers why they ended.
@safe
final class InputContext {
    let context: UnsafeMutablePointer<AVIOContext>
    fileprivate let input: any ByteInput
    fileprivate var position = 0
    /// The error of the last read; libavformat only knows that it failed.
    private(set) var failure: (any Error)?
    /// The first bytes, as far as they were read in order, until they are taken.
    private var head: [UInt8]? = []

    /// In bytes, of the kept head: more than tags without pictures take.
    private static let longestHead = 262_144

    init(_ input: any ByteInput) throws(FFmpegError) {
        self.input = input
        let size = 32_768
        let operation: StaticString = "cannot open"
        guard let buffer = unsafe av_malloc(size) else {
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation)
        }
        let allocated = unsafe avio_alloc_context(
            buffer.assumingMemoryBound(to: UInt8.self),
            Int32(size),
            0,
            nil,
            readInput,
            nil,
            seekInput
        )
        guard let context = unsafe allocated else {
            unsafe av_free(buffer)
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation)
        }
        unsafe self.context = context
        unsafe context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
        unsafe context.pointee.seekable = input.seekableSize == nil ? 0 : AVIO_SEEKABLE_NORMAL
    }

    deinit {
        // libavformat may have replaced the buffer ("It may be … replaced with a new buffer by libavformat", avio.h).
        unsafe av_freep(&context.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe avio_context_free(&context)
    }

    /// Clears an interruption, so that the medium can seek.
    func recover() {
        failure = nil
        unsafe context.pointee.error = 0
        unsafe context.pointee.eof_reached = 0
    }

    /// The first bytes that were read; no more are kept from now on.
    func takeHead() -> [UInt8] { head.take() ?? [] }

    /// Drops the bytes that were read ahead, so that they are asked for again, and those that were kept.
    func dropBuffer() {
        let next = unsafe avio_seek(context, 0, SEEK_CUR)
        guard next >= 0 else { return }
        head = nil
        unsafe context.pointee.buf_ptr = context.pointee.buffer
        unsafe context.pointee.buf_end = context.pointee.buffer
        unsafe context.pointee.pos = next
        unsafe context.pointee.eof_reached = 0
        position = Int(next)
        input.seek(to: position)
    }

    /// Restarts at the first byte.
    func rewind() {
        recover()
        input.seek(to: 0)
        position = 0
    }

    fileprivate func read(into buffer: UnsafeMutableRawBufferPointer) -> Int32 {
        if failure != nil { return segue_AVERROR_EXIT }
        do {
            let count = unsafe try input.read(into: buffer)
            if let kept = head?.count, kept == position, kept < Self.longestHead {
                unsafe head?.append(contentsOf: buffer[..<count])
            }
            position += count
            return count > 0 ? Int32(count) : segue_AVERROR_EOF
        } catch let error as LocalBytes.ReadError {
            // libavformat deals with it as with those of files that it reads itself.
            return error.code
        } catch {
            failure = error
            return segue_AVERROR_EXIT
        }
    }

    fileprivate func seek(to offset: Int) -> Int64 {
        // Offsets in a file's headers may be arbitrary.
        guard let size = input.seekableSize, (0...max(0, size)).contains(offset) else {
            return Int64(segue_AVERROR_SEEK)
        }
        position = offset
        input.seek(to: offset)
        return Int64(offset)
    }
}

/// `AVIOContext.read_packet`.
private func readInput(
    _ opaque: UnsafeMutableRawPointer?,
    _ buffer: UnsafeMutablePointer<UInt8>?,
    _ size: Int32
) -> Int32 {
    guard let opaque = unsafe opaque, let buffer = unsafe buffer else { return segue_AVERROR_EOF }
    let input = unsafe Unmanaged<InputContext>.fromOpaque(opaque).takeUnretainedValue()
    return unsafe input.read(into: UnsafeMutableRawBufferPointer(start: buffer, count: Int(size)))
}

/// `AVIOContext.seek`: `whence` as in lseek(2), or a question for the size.
private func seekInput(_ opaque: UnsafeMutableRawPointer?, _ offset: Int64, _ whence: Int32) -> Int64 {
    guard let opaque = unsafe opaque else { return Int64(segue_AVERROR_SEEK) }
    let input = unsafe Unmanaged<InputContext>.fromOpaque(opaque).takeUnretainedValue()
    switch whence & ~AVSEEK_FORCE {
    case AVSEEK_SIZE: return input.input.seekableSize.map { Int64($0) } ?? Int64(segue_AVERROR_SEEK)
    case 0: return input.seek(to: Int(offset))
    case 1: return input.seek(to: input.position.adding(saturating: Int(offset)))
    case 2: return input.seek(to: (input.input.seekableSize ?? 0).adding(saturating: Int(offset)))
    default: return Int64(segue_AVERROR_SEEK)
    }
}
