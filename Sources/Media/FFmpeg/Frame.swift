internal import CFFmpeg

/// Owns one `AVFrame`: decoded samples, reused for every frame.
@safe
struct Frame: ~Copyable {
    let pointer: UnsafeMutablePointer<AVFrame>

    init() throws(FFmpegError) {
        unsafe pointer = try FFmpegError.unwrap(av_frame_alloc(), "cannot allocate a frame")
    }

    deinit {
        var frame: UnsafeMutablePointer<AVFrame>? = unsafe pointer
        unsafe av_frame_free(&frame)
    }

    /// Releases the samples.
    func clear() { unsafe av_frame_unref(pointer) }

    /// Allocates memory for samples to be encoded.
    ///
    /// The encoder may keep the previous memory.
    func allocate(_ shape: DecodedShape, capacity: Int) throws(FFmpegError) {
        clear()
        unsafe pointer.pointee.format = shape.sampleFormat
        unsafe pointer.pointee.sample_rate = shape.sampleRate
        unsafe pointer.pointee.nb_samples = Int32(capacity)
        unsafe pointer.pointee.ch_layout = Resampler.layout(shape.channelMask, Int(shape.channelCount))
        try FFmpegError.check(unsafe av_frame_get_buffer(pointer, 0), "cannot allocate a frame")
    }

    /// Samples per channel.
    var sampleCount: Int { unsafe Int(pointer.pointee.nb_samples) }

    /// In the stream's time base; `nil` when unknown.
    var timestamp: Int64? {
        let best = unsafe pointer.pointee.best_effort_timestamp
        return best == segue_AV_NOPTS_VALUE ? nil : best
    }

    var shape: DecodedShape {
        unsafe DecodedShape(
            sampleFormat: pointer.pointee.format,
            sampleRate: pointer.pointee.sample_rate,
            channelMask: segue_layout_mask(&pointer.pointee.ch_layout),
            channelCount: pointer.pointee.ch_layout.nb_channels
        )
    }
}

/// The shape of a decoder's samples, in FFmpeg's terms.
struct DecodedShape: Hashable, Sendable {
    /// An `AVSampleFormat`.
    var sampleFormat: Int32
    var sampleRate: Int32
    var channelMask: UInt64
    var channelCount: Int32
}
