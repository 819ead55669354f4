internal import CFFmpeg

/// Owns one `AVPacket`: compressed data of one stream, reused for every read.
///
/// Sound as `@unchecked Sendable`: nobody else has the pointer, and a packet is not tied to a thread.
@safe
struct Packet: ~Copyable, @unchecked Sendable {
    let pointer: UnsafeMutablePointer<AVPacket>

    init() throws(FFmpegError) {
        unsafe pointer = try FFmpegError.unwrap(av_packet_alloc(), "cannot allocate a packet")
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&packet)
    }

    /// Gives the data back; the packet is empty and can be read into again.
    func clear() { unsafe av_packet_unref(pointer) }

    var streamIndex: Int { unsafe Int(pointer.pointee.stream_index) }
    var byteCount: Int { unsafe Int(pointer.pointee.size) }
    /// In its stream's time base; 0 when unknown.
    var duration: Int64 { unsafe pointer.pointee.duration }
    /// Where it ends, in its stream's time base; `nil` when unknown.
    var endTime: Int64? {
        unsafe pointer.pointee.pts == segue_AV_NOPTS_VALUE ? nil : pointer.pointee.pts + pointer.pointee.duration
    }

    /// The byte in the file that the packet begins at; `nil` when unknown.
    var byteOffset: Int64? { unsafe pointer.pointee.pos >= 0 ? pointer.pointee.pos : nil }
}
