internal import CFFmpeg
internal import FFmpegValues

/// Frames of sound.
extension Frame {
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
