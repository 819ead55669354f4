internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues

/// Owns the `SwrContext` that converts interleaved frames to an encoder's shape.
@safe
struct EncoderInput: ~Copyable {
    private let context: OpaquePointer
    private let source: AudioFormat
    private let shape: DecodedShape

    private init(adopting context: OpaquePointer, from source: AudioFormat, to shape: DecodedShape) {
        unsafe self.context = context
        self.source = source
        self.shape = shape
    }

    deinit {
        var context: OpaquePointer? = unsafe context
        unsafe swr_free(&context)
    }

    static func open(from source: AudioFormat, to shape: DecodedShape) throws(FFmpegError) -> EncoderInput {
        let operation: StaticString = "cannot convert to its encoder's format"
        var sourceLayout = unsafe Resampler.layout(source.channels.mask, source.channels.count)
        var targetLayout = unsafe Resampler.layout(shape.channelMask, Int(shape.channelCount))
        var context: OpaquePointer?
        try FFmpegError.check(
            unsafe swr_alloc_set_opts2(
                &context,
                &targetLayout,
                AVSampleFormat(rawValue: shape.sampleFormat),
                shape.sampleRate,
                &sourceLayout,
                Resampler.sampleFormat(source.sampleFormat),
                Int32(source.sampleRate),
                0,
                nil
            ),
            operation
        )
        guard let allocated = unsafe context else {
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation)
        }
        let input = unsafe EncoderInput(adopting: allocated, from: source, to: shape)
        unsafe av_opt_set_double(UnsafeMutableRawPointer(allocated), "rematrix_maxval", 1, 0)
        try FFmpegError.check(unsafe swr_init(allocated), operation)
        return input
    }

    /// The number of samples that the encoder gets for so many frames.
    func length(of frames: Int) -> Int {
        Int(av_rescale(Int64(frames), Int64(shape.sampleRate), Int64(source.sampleRate)))
    }

    /// Converts frames into `frame` from its sample `filled` up to `limit`.
    func convert(
        _ bytes: UnsafeRawBufferPointer,
        into frame: borrowing Frame,
        at filled: Int,
        limit: Int
    ) throws(FFmpegError) -> AudioConverter.Step {
        let room = limit - filled
        // Input is limited to what can be output, so that nothing accumulates inside.
        let fitting = max(1, room * source.sampleRate / Int(shape.sampleRate))
        let count = min(bytes.count / source.bytesPerFrame, fitting)
        var input = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let produced = unsafe withOutput(frame, filled) {
            unsafe swr_convert(context, $0, Int32(room), &input, Int32(count))
        }
        try FFmpegError.check(produced, "cannot convert to its encoder's format")
        return .init(consumed: count, produced: Int(produced))
    }

    /// Outputs the samples still held.
    func finish(into frame: borrowing Frame, at filled: Int, limit: Int) throws(FFmpegError) -> Int {
        let produced = unsafe withOutput(frame, filled) {
            unsafe swr_convert(context, $0, Int32(limit - filled), nil, 0)
        }
        return Int(try FFmpegError.check(produced, "cannot convert to its encoder's format"))
    }

    /// The addresses of sample `filled` in a frame's planes.
    private func withOutput(
        _ frame: borrowing Frame,
        _ filled: Int,
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32
    ) -> Int32 {
        let format = AVSampleFormat(rawValue: shape.sampleFormat)
        let isPlanar = av_sample_fmt_is_planar(format) != 0
        let channelCount = Int(shape.channelCount)
        let offset = filled * Int(av_get_bytes_per_sample(format)) * (isPlanar ? 1 : channelCount)
        let planeCount = isPlanar ? channelCount : 1
        return unsafe withUnsafeTemporaryAllocation(of: UnsafeMutablePointer<UInt8>?.self, capacity: planeCount) {
            planes in
            for plane in 0..<planeCount {
                unsafe planes[plane] = frame.pointer.pointee.extended_data[plane].map { unsafe $0 + offset }
            }
            return unsafe body(planes.baseAddress)
        }
    }
}
