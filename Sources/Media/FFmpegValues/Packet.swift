package import CFFmpeg

/// Owns one `AVPacket`: compressed data of one stream, reused for every read.
///
/// Sound as `@unchecked Sendable`: the pointer is not shared, and a packet is not tied to a thread.
@safe
package struct Packet: ~Copyable, @unchecked Sendable {
    package let pointer: UnsafeMutablePointer<AVPacket>

    package init() throws(FFmpegError) {
        unsafe pointer = try FFmpegError.unwrap(av_packet_alloc(), "cannot allocate a packet")
    }

    deinit {
        var packet: UnsafeMutablePointer<AVPacket>? = unsafe pointer
        unsafe av_packet_free(&packet)
    }

    /// Releases the data; the packet is empty and can be read into again.
    package func clear() { unsafe av_packet_unref(pointer) }

    package var streamIndex: Int { unsafe Int(pointer.pointee.stream_index) }
    /// Whether decoding can begin with it.
    package var isKey: Bool { unsafe pointer.pointee.flags & AV_PKT_FLAG_KEY != 0 }
    package var byteCount: Int { unsafe Int(pointer.pointee.size) }
    /// Its data, valid until the packet changes.
    package var bytes: UnsafeRawBufferPointer {
        unsafe UnsafeRawBufferPointer(start: pointer.pointee.data, count: pointer.pointee.data == nil ? 0 : byteCount)
    }
    /// Leaves out the first bytes of its data.
    package func drop(first count: Int) {
        guard count > 0, count <= byteCount else { return }
        unsafe pointer.pointee.data += count
        unsafe pointer.pointee.size -= Int32(count)
        if unsafe pointer.pointee.pos >= 0 { unsafe pointer.pointee.pos += Int64(count) }
    }

    /// In its stream's time base; 0 when unknown.
    package var duration: Int64 { unsafe pointer.pointee.duration }
    /// The end, in its stream's time base; `nil` when unknown.
    package var endTime: Int64? {
        unsafe pointer.pointee.pts == segue_AV_NOPTS_VALUE
            ? nil : pointer.pointee.pts.adding(saturating: pointer.pointee.duration)
    }

    /// The packet's byte offset in the file; `nil` when unknown.
    package var byteOffset: Int64? { unsafe pointer.pointee.pos >= 0 ? pointer.pointee.pos : nil }
}
