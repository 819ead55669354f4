internal import CFFmpeg
internal import FFmpegValues
private import Glibc
package import PictureValues

/// Where a film's bytes come from.
@safe
package struct FilmSource {
    /// Bytes of the whole; `nil` when they can only be read in order.
    let size: Int64?
    /// Copies bytes from an offset.
    ///
    /// - Returns: How many; 0 at the end, negative when there are none because of an error.
    let read: (_ offset: Int64, _ bytes: UnsafeMutableRawBufferPointer) -> Int

    /// - Parameters:
    ///   - size: Bytes of the whole; `nil` when they can only be read in order.
    ///   - read: Copies bytes from an offset, and returns how many: 0 at the end, negative after an error.
    package init(
        size: Int?,
        read: @escaping (_ offset: Int64, _ bytes: UnsafeMutableRawBufferPointer) -> Int
    ) {
        self.size = size.map { Int64($0) }
        unsafe self.read = read
    }

    /// An open file, which belongs to the caller.
    package static func file(_ file: Int32) throws(PictureError) -> FilmSource {
        unsafe FilmSource(size: try fileSize(file)) { offset, bytes in
            while true {
                let got = unsafe pread(file, bytes.baseAddress, bytes.count, off_t(offset))
                if got < 0, errno == EINTR { continue }
                return got
            }
        }
    }
}

/// A source that libavformat reads (`AVIOContext`).
@safe
final class FilmInput {
    let context: UnsafeMutablePointer<AVIOContext>
    private let source: FilmSource
    private var offset: Int64 = 0

    init(_ source: FilmSource) throws {
        self.source = source
        let count = 65_536
        let buffer = unsafe av_malloc(count)?.assumingMemoryBound(to: UInt8.self)
        let placeholder = unsafe try FFmpegError.unwrap(
            avio_alloc_context(buffer, Int32(count), 0, nil, readFilm, nil, source.size == nil ? nil : seekFilm),
            "cannot open"
        )
        unsafe context = placeholder
        unsafe context.pointee.opaque = Unmanaged.passUnretained(self).toOpaque()
    }

    deinit {
        unsafe av_free(context.pointee.buffer)
        var context: UnsafeMutablePointer<AVIOContext>? = unsafe context
        unsafe avio_context_free(&context)
    }

    fileprivate func read(_ bytes: UnsafeMutableRawBufferPointer) -> Int32 {
        let got = unsafe source.read(offset, bytes)
        guard got > 0 else { return got < 0 ? segue_AVERROR_EXIT : segue_AVERROR_EOF }
        offset = offset.adding(saturating: Int64(got))
        return Int32(clamping: got)
    }

    fileprivate func seek(_ place: Int64, _ origin: Int32) -> Int64 {
        guard let size = source.size else { return -1 }
        switch origin & ~Int32(AVSEEK_FORCE) {
        case Int32(AVSEEK_SIZE): return size
        case SEEK_SET: offset = place
        case SEEK_CUR: offset = offset.adding(saturating: place)
        case SEEK_END: offset = size.adding(saturating: place)
        default: return -1
        }
        return offset
    }
}

private func readFilm(
    _ opaque: UnsafeMutableRawPointer?,
    _ bytes: UnsafeMutablePointer<UInt8>?,
    _ count: Int32
) -> Int32 {
    guard let opaque = unsafe opaque, let bytes = unsafe bytes else { return segue_AVERROR_EOF }
    let room = unsafe UnsafeMutableRawBufferPointer(start: bytes, count: Int(max(0, count)))
    return unsafe Unmanaged<FilmInput>.fromOpaque(opaque).takeUnretainedValue().read(room)
}

private func seekFilm(_ opaque: UnsafeMutableRawPointer?, _ place: Int64, _ origin: Int32) -> Int64 {
    guard let opaque = unsafe opaque else { return -1 }
    return unsafe Unmanaged<FilmInput>.fromOpaque(opaque).takeUnretainedValue().seek(place, origin)
}
