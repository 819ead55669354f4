package import AudioTypes
internal import CFFmpeg
package import FFmpegValues

/// Converts decoded samples to an output's format: sample format, rate, channels, speed and a constant gain.
///
/// Without any conversion, samples are copied unchanged. One converter lives as long as its output, so that the
/// resampler runs on across the joint of two items with the same shape.
/// resampler runs on across the joint of two items with the same shape.
@safe
package struct AudioConverter: ~Copyable {
    package let output: AudioFormat
    private var resampler: Resampler?
    private var stretcher: TimeStretcher?
    private var input: DecodedShape?
    private var settings = Settings()

    /// Processing of samples besides the conversion of the format.
    package struct Settings: Sendable, Hashable {
        /// Applied to every sample.
        package var gain = Gain.unity
        /// 0.25 to 4.
        package var rate: Double = 1
        /// Whether a rate other than 1 keeps the pitch.
        package var keepsPitch = true

        package init() {}
    }

    package init(output: AudioFormat) { self.output = output }

    /// The numbers of frames that `convert` consumed and produced.
    package struct Step: Sendable, Hashable {
        package var consumed: Int
        package var produced: Int
    }

    /// Whether frames of a shape can follow without draining the converter first.
    func continues(with shape: DecodedShape, _ settings: Settings) -> Bool {
        input == nil || (input == shape && settings == self.settings)
    }

    /// Prepares for frames of a shape.
    ///
    /// Frames still held by the converter are lost: drain it with `finish` first.
    mutating func configure(for shape: DecodedShape, _ settings: Settings) throws(FFmpegError) {
        guard input != shape || settings != self.settings else { return }
        input = shape
        self.settings = settings
        let stretches = settings.rate != 1 && settings.keepsPitch
        var target = output
        if stretches { target.sampleFormat = .s16 }
        var source = shape
        if !settings.keepsPitch {
            source.sampleRate = Int32(saturating: (Double(shape.sampleRate) * settings.rate).rounded())
        }
        if !stretches {
            stretcher = nil
        } else if stretcher != nil {
            stretcher?.setSpeed(settings.rate)
        } else {
            stretcher = try TimeStretcher(format: output, speed: settings.rate)
        }
        let needsNothing = Resampler.matches(source, target) && settings.gain == .unity
        resampler = needsNothing ? nil : try Resampler.open(from: source, to: target, gain: settings.gain)
    }

    /// Frames of output held until more input follows.
    package var delay: Int {
        let resampled =
            switch resampler {
            case .some(let resampler): resampler.delay
            case nil: 0
            }
        switch stretcher {
        case .some(let stretcher): return stretcher.delay(after: resampled)
        case nil: return resampled
        }
    }

    /// Converts a part of a frame.
    ///
    /// - Parameters:
    ///   - region: The buffer for converted frames; a whole number of frames.
    mutating func convert(
        _ frame: borrowing Frame,
        _ range: Range<Int>,
        into region: UnsafeMutableRawBufferPointer
    ) throws(FFmpegError) -> Step {
        let capacity = region.count / output.bytesPerFrame
        if stretcher != nil { return unsafe try stretch(frame, range, into: region) }
        guard resampler == nil else {
            return unsafe try resampler?.convert(frame, range, into: region, capacity: capacity)
                ?? Step(consumed: 0, produced: 0)
        }
        let count = min(range.count, capacity)
        let source = unsafe segue_frame_plane(frame.pointer, 0)
        if let source = unsafe source, let target = region.baseAddress {
            unsafe target.copyMemory(
                from: source + range.lowerBound * output.bytesPerFrame,
                byteCount: count * output.bytesPerFrame
            )
        }
        return Step(consumed: count, produced: count)
    }

    private mutating func stretch(
        _ frame: borrowing Frame,
        _ range: Range<Int>,
        into region: UnsafeMutableRawBufferPointer
    ) throws(FFmpegError) -> Step {
        // Finished frames go out first, so that the stretcher never holds more than one frame's worth.
        let ready = unsafe stretcher?.read(into: region) ?? 0
        if ready > 0 { return Step(consumed: 0, produced: ready) }
        let bytesPerFrame = 2 * output.channels.count
        guard resampler != nil else {
            if let samples = unsafe segue_frame_plane(frame.pointer, 0) {
                let start = unsafe UnsafeRawPointer(samples + range.lowerBound * bytesPerFrame)
                unsafe stretcher?.write(start.assumingMemoryBound(to: Int16.self), count: range.count)
            }
            return Step(consumed: range.count, produced: unsafe stretcher?.read(into: region) ?? 0)
        }
        var consumed = 0
        let capacity = 4096
        try unsafe withUnsafeTemporaryAllocation(byteCount: capacity * bytesPerFrame, alignment: 16) {
            (scratch: UnsafeMutableRawBufferPointer) throws(FFmpegError) in
            let step = unsafe try resampler?.convert(frame, range, into: scratch, capacity: capacity)
            consumed = step?.consumed ?? 0
            guard let step, let base = scratch.baseAddress else { return }
            unsafe stretcher?.write(base.assumingMemoryBound(to: Int16.self), count: step.produced)
        }
        return Step(consumed: consumed, produced: unsafe stretcher?.read(into: region) ?? 0)
    }

    /// Drains the converter, a region at a time.
    ///
    /// - Returns: The number of frames; 0 when it is empty, and the converter as new.
    package mutating func finish(into region: UnsafeMutableRawBufferPointer) throws(FFmpegError) -> Int {
        let capacity = region.count / output.bytesPerFrame
        var produced = 0
        if stretcher == nil {
            produced = unsafe try resampler?.finish(into: region, capacity: capacity) ?? 0
        } else {
            produced = unsafe stretcher?.finish(into: region) ?? 0
        }
        if produced == 0 { reset() }
        return produced
    }

    /// Discards the frames held.
    package mutating func reset() {
        resampler = nil
        stretcher = nil
        input = nil
    }
}
