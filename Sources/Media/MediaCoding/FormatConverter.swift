package import AudioTypes
internal import CFFmpeg
package import FFmpegValues

/// Converts a continuous stream of interleaved PCM from one format to another.
///
/// The first frame of output belongs to the first one of input; some frames are held until more input follows.
@safe
package struct FormatConverter: ~Copyable {
    package let input: AudioFormat
    package let output: AudioFormat
    private var resampler: Resampler

    package init(from input: AudioFormat, to output: AudioFormat) throws(FFmpegError) {
        self.input = input
        self.output = output
        let shape = DecodedShape(
            sampleFormat: Resampler.sampleFormat(input.sampleFormat).rawValue,
            sampleRate: Int32(input.sampleRate),
            channelMask: input.channels.mask,
            channelCount: Int32(input.channels.count)
        )
        resampler = try Resampler.open(from: shape, to: output, gain: .unity, quality: .best)
    }

    /// The largest number of input frames whose output fits into `capacity`.
    package func fitting(_ capacity: Int) -> Int {
        input.sampleRate == output.sampleRate
            ? capacity : max(0, (capacity - 64) * input.sampleRate / output.sampleRate)
    }

    /// Converts frames.
    ///
    /// - Parameters:
    ///   - bytes: A whole number of frames, at most the result of `fitting`.
    ///   - region: The buffer for the output.
    /// - Returns: The number of output frames.
    package mutating func convert(
        _ bytes: UnsafeRawBufferPointer,
        into region: UnsafeMutableRawBufferPointer
    ) throws(FFmpegError) -> Int {
        let capacity = region.count / output.bytesPerFrame
        return unsafe try resampler.convert(bytes, count: bytes.count / input.bytesPerFrame, into: region, capacity)
    }

    /// Outputs the frames still held, at the very end.
    package mutating func finish(into region: UnsafeMutableRawBufferPointer) throws(FFmpegError) -> Int {
        unsafe try resampler.finish(into: region, capacity: region.count / output.bytesPerFrame)
    }
}
