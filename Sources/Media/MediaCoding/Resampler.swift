internal import AudioTypes
internal import CFFmpeg
internal import FFmpegValues

/// Owns one `SwrContext`: sample format, rate and channel conversion.
@safe
struct Resampler: ~Copyable {
    private let context: OpaquePointer
    private let inputRate: Int
    private let outputRate: Int
    private let bytesPerSample: Int
    private let isPlanar: Bool
    private let channelCount: Int

    private init(adopting context: OpaquePointer, from source: DecodedShape, to target: AudioFormat) {
        let format = AVSampleFormat(rawValue: source.sampleFormat)
        unsafe self.context = context
        inputRate = Int(source.sampleRate)
        outputRate = target.sampleRate
        bytesPerSample = Int(av_get_bytes_per_sample(format))
        isPlanar = av_sample_fmt_is_planar(format) != 0
        channelCount = Int(source.channelCount)
    }

    /// How much is spent on the sound.
    enum Quality: Sendable, Hashable {
        /// swresample's own filters, which start without delay.
        case standard
        /// libsoxr's, where swresample is built with it.
        case best
    }

    /// Opens a converter.
    ///
    /// - Parameter gain: Applied to every sample before rounding to the target's format.
    static func open(
        from source: DecodedShape,
        to target: AudioFormat,
        gain: Gain,
        quality: Quality = .standard
    ) throws(FFmpegError) -> Resampler {
        guard quality == .best, Int(source.sampleRate) != target.sampleRate else {
            return try open(from: source, to: target, gain: gain, engine: SWR_ENGINE_SWR, quality)
        }
        do throws(FFmpegError) {
            return try open(from: source, to: target, gain: gain, engine: SWR_ENGINE_SOXR, quality)
        } catch {
            return try open(from: source, to: target, gain: gain, engine: SWR_ENGINE_SWR, quality)
        }
    }

    private static func open(
        from source: DecodedShape,
        to target: AudioFormat,
        gain: Gain,
        engine: SwrEngine,
        _ quality: Quality
    ) throws(FFmpegError) -> Resampler {
        let operation: StaticString = "cannot convert its samples"
        silenceFFmpeg()
        var sourceLayout = unsafe layout(source.channelMask, Int(source.channelCount))
        var targetLayout = unsafe layout(target.channels.mask, target.channels.count)
        var context: OpaquePointer?
        try FFmpegError.check(
            unsafe swr_alloc_set_opts2(
                &context,
                &targetLayout,
                sampleFormat(target.sampleFormat),
                Int32(target.sampleRate),
                &sourceLayout,
                AVSampleFormat(rawValue: source.sampleFormat),
                source.sampleRate,
                0,
                nil
            ),
            operation
        )
        guard let allocated = unsafe context else {
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: operation)
        }
        let resampler = unsafe Resampler(adopting: allocated, from: source, to: target)
        let options = unsafe UnsafeMutableRawPointer(allocated)
        // Downmixes never exceed full scale, whatever the target's sample format.
        unsafe av_opt_set_double(options, "rematrix_maxval", 1, 0)
        unsafe av_opt_set_int(options, "resampler", Int64(engine.rawValue), 0)
        if losesBits(source, target, quality) {
            // Less than half a step, so samples that need no more bits than the target has come out as they are.
            unsafe av_opt_set_int(options, "dither_method", Int64(SWR_DITHER_RECTANGULAR.rawValue), 0)
            unsafe av_opt_set_double(options, "dither_scale", 0.98, 0)
        }
        if gain != .unity {
            unsafe av_opt_set_sample_fmt(options, "internal_sample_fmt", AV_SAMPLE_FMT_FLTP, 0)
            unsafe av_opt_set_double(options, "rematrix_volume", Double(gain.linear), 0)
        }
        if let matrix = matrix(from: source, to: target, gain: gain) {
            try FFmpegError.check(unsafe swr_set_matrix(allocated, matrix, source.channelCount), operation)
        }
        try FFmpegError.check(unsafe swr_init(allocated), operation)
        return resampler
    }

    /// Whether samples have more bits than the target; what a lossy codec decodes to has none of its own.
    private static func losesBits(_ source: DecodedShape, _ target: AudioFormat, _ quality: Quality) -> Bool {
        let packed = av_get_packed_sample_fmt(AVSampleFormat(rawValue: source.sampleFormat))
        let isLong = packed == AV_SAMPLE_FMT_S32 || quality == .best && packed == AV_SAMPLE_FMT_FLT
        return target.sampleFormat == .s16 && isLong
    }

    /// A layout from its mask, or the default one for so many channels; it owns nothing.
    static func layout(_ mask: UInt64, _ count: Int) -> AVChannelLayout {
        let mask = mask != 0 || count < 1 ? mask : ChannelLayout(count: count).mask
        var layout = unsafe segue_layout(mask, Int32(count))
        if unsafe layout.order == AV_CHANNEL_ORDER_UNSPEC { unsafe av_channel_layout_default(&layout, Int32(count)) }
        return unsafe layout
    }

    deinit {
        var context: OpaquePointer? = unsafe context
        unsafe swr_free(&context)
    }

    /// The mixing matrix, where swresample's default is unsuitable: for a gain alone, and for mono, which it would
    /// lower by 3 dB.
    private static func matrix(from source: DecodedShape, to target: AudioFormat, gain: Gain) -> [Double]? {
        let inputs = Int(source.channelCount)
        let outputs = target.channels.count
        let gain = Double(gain.linear)
        if inputs == 1, outputs >= 2 {
            return (0..<outputs).map { $0 < 2 ? gain : 0 }
        }
        if inputs != outputs, !hasPlaces(source.channelMask, inputs) || !hasPlaces(target.channels.mask, outputs) {
            // Channels without positions: each goes to one of the outputs in turn, and none exceeds full scale.
            let share = gain / Double((inputs + outputs - 1) / outputs)
            return (0..<inputs * outputs).map { $0 % inputs % outputs == $0 / inputs ? share : 0 }
        }
        let isSameLayout = inputs == outputs && (source.channelMask == target.channels.mask || source.channelMask == 0)
        guard isSameLayout, gain != 1 else { return nil }
        return (0..<inputs * outputs).map { $0 % (inputs + 1) == 0 ? gain : 0 }
    }

    /// Whether the speakers of the channels are known, or standard for their number.
    private static func hasPlaces(_ mask: UInt64, _ count: Int) -> Bool {
        unsafe layout(mask, count).order != AV_CHANNEL_ORDER_UNSPEC
    }

    static func sampleFormat(_ format: SampleFormat) -> AVSampleFormat {
        switch format {
        case .s16: AV_SAMPLE_FMT_S16
        case .s32: AV_SAMPLE_FMT_S32
        case .f32: AV_SAMPLE_FMT_FLT
        }
    }

    /// Whether samples of a shape already have a format.
    static func matches(_ shape: DecodedShape, _ format: AudioFormat) -> Bool {
        let packed = av_get_packed_sample_fmt(AVSampleFormat(rawValue: shape.sampleFormat))
        let isInterleaved = packed.rawValue == shape.sampleFormat || shape.channelCount == 1
        let isSameLayout = shape.channelMask == format.channels.mask || shape.channelMask == 0
        return isInterleaved && packed == sampleFormat(format.sampleFormat)
            && Int(shape.sampleRate) == format.sampleRate
            && Int(shape.channelCount) == format.channels.count && isSameLayout
    }

    /// Frames of output held inside.
    var delay: Int { unsafe Int(swr_get_delay(context, Int64(outputRate))) }

    mutating func convert(
        _ frame: borrowing Frame,
        _ range: Range<Int>,
        into region: UnsafeMutableRawBufferPointer,
        capacity: Int
    ) throws(FFmpegError) -> AudioConverter.Step {
        guard capacity > 0, !range.isEmpty else { return .init(consumed: 0, produced: 0) }
        // Input is limited to what can be output, so that nothing accumulates inside.
        let fitting = inputRate == outputRate ? capacity : max(0, (capacity - 64) * inputRate / outputRate)
        if fitting > 0 {
            let count = min(range.count, fitting)
            let produced = unsafe try convert(frame, range.lowerBound, count, into: region, capacity)
            return .init(consumed: count, produced: produced)
        }
        // A single sample expands beyond the available room: output the frames inside first.
        let held = unsafe try convert(frame, range.lowerBound, 0, into: region, capacity)
        if held > 0 { return .init(consumed: 0, produced: held) }
        return unsafe try .init(consumed: 1, produced: convert(frame, range.lowerBound, 1, into: region, capacity))
    }

    private func convert(
        _ frame: borrowing Frame,
        _ first: Int,
        _ count: Int,
        into region: UnsafeMutableRawBufferPointer,
        _ capacity: Int
    ) throws(FFmpegError) -> Int {
        // swresample allocates for the maximum that it may write.
        let room = min(capacity, count * outputRate / inputRate + 256)
        let planeCount = isPlanar ? channelCount : 1
        let offset = first * bytesPerSample * (isPlanar ? 1 : channelCount)
        let produced = unsafe withUnsafeTemporaryAllocation(of: UnsafePointer<UInt8>?.self, capacity: planeCount) {
            inputs in
            for plane in 0..<planeCount {
                unsafe inputs[plane] = segue_frame_plane(frame.pointer, Int32(plane)).map { unsafe $0 + offset }
            }
            var target = unsafe region.baseAddress?.assumingMemoryBound(to: UInt8.self)
            return unsafe swr_convert(context, &target, Int32(room), inputs.baseAddress, Int32(count))
        }
        return Int(try FFmpegError.check(produced, "cannot convert its samples"))
    }

    /// Converts all interleaved frames of a buffer.
    mutating func convert(
        _ bytes: UnsafeRawBufferPointer,
        count: Int,
        into region: UnsafeMutableRawBufferPointer,
        _ capacity: Int
    ) throws(FFmpegError) -> Int {
        var source = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
        var target = unsafe region.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let produced = unsafe swr_convert(context, &target, Int32(capacity), &source, Int32(count))
        return Int(try FFmpegError.check(produced, "cannot convert its samples"))
    }

    mutating func finish(
        into region: UnsafeMutableRawBufferPointer,
        capacity: Int
    ) throws(FFmpegError) -> Int {
        guard inputRate != outputRate else { return 0 }
        var target = unsafe region.baseAddress?.assumingMemoryBound(to: UInt8.self)
        let produced = unsafe swr_convert(context, &target, Int32(capacity), nil, 0)
        return Int(try FFmpegError.check(produced, "cannot convert its samples"))
    }
}
