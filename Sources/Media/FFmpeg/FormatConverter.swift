package import AudioTypes
internal import CFFmpeg

/// Brings interleaved PCM from one format into another, on and on without a joint.
///
/// The first frame that comes out belongs to the first one that went in; some are held back until more go in.
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
        resampler = try Resampler.open(from: shape, to: output, gain: .unity)
    }

    /// How many frames may go in at most so that what comes out has room.
    package func fitting(_ capacity: Int) -> Int {
        input.sampleRate == output.sampleRate
            ? capacity : max(0, (capacity - 64) * input.sampleRate / output.sampleRate)
    }

    /// Converts frames.
    ///
    /// - Parameters:
    ///   - bytes: A whole number of frames, no more than `fitting` says.
    ///   - region: Where what comes out goes.
    /// - Returns: The number of frames that came out.
    package mutating func convert(
        _ bytes: UnsafeRawBufferPointer,
        into region: UnsafeMutableRawBufferPointer
    ) throws(FFmpegError) -> Int {
        let capacity = region.count / output.bytesPerFrame
        return unsafe try resampler.convert(bytes, count: bytes.count / input.bytesPerFrame, into: region, capacity)
    }

    /// Takes out what is held back, at the very end.
    package mutating func finish(into region: UnsafeMutableRawBufferPointer) throws(FFmpegError) -> Int {
        unsafe try resampler.finish(into: region, capacity: region.count / output.bytesPerFrame)
    }
}
