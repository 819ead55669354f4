package import CFFmpeg

/// Owns one `AVFrame`: decoded samples or a picture, reused for every frame.
@safe
package struct Frame: ~Copyable {
    package let pointer: UnsafeMutablePointer<AVFrame>

    package init() throws(FFmpegError) {
        unsafe pointer = try FFmpegError.unwrap(av_frame_alloc(), "cannot allocate a frame")
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&frame)
    }

    /// Releases the samples.
    package func clear() { unsafe av_frame_unref(pointer) }

    /// In the stream's time base; `nil` when unknown.
    package var timestamp: Int64? {
        let best = unsafe pointer.pointee.best_effort_timestamp
        return best == segue_AV_NOPTS_VALUE ? nil : best
    }
}
