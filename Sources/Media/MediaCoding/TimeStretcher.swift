internal import AudioTypes
private import CFFmpeg
private import CSonic
internal import FFmpegValues

/// Owns one libsonic stream: plays faster or slower at the same pitch, on 16-bit samples.
@safe
struct TimeStretcher: ~Copyable {
    private let stream: sonicStream
    private let format: AudioFormat
    private var speed: Double
    private var written = 0
    private var taken = 0

    init(format: AudioFormat, speed: Double) throws(FFmpegError) {
        guard let stream = unsafe sonicCreateStream(Int32(format.sampleRate), Int32(format.channels.count)) else {
            throw FFmpegError(code: segue_AVERROR_ENOMEM, operation: "cannot change its speed")
        }
        unsafe self.stream = stream
        self.format = format
        self.speed = speed
        unsafe sonicSetSpeed(stream, Float(speed))
    }

    deinit { unsafe sonicDestroyStream(stream) }

    mutating func setSpeed(_ speed: Double) {
        self.speed = speed
        unsafe sonicSetSpeed(stream, Float(speed))
    }

    /// Frames of output still to come from the frames written, and from `following` more.
    func delay(after following: Int) -> Int { Int(saturating: Double(written + following) / speed) - taken }

    /// Writes `count` interleaved frames.
    mutating func write(_ samples: UnsafePointer<Int16>, count: Int) {
        // The parameter is not const, but sonic only copies from it (sonic.c, addShortSamplesToInputBuffer).
        unsafe _ = sonicWriteShortToStream(stream, UnsafeMutablePointer(mutating: samples), Int32(count))
        written += count
    }

    /// Outputs the finished frames, in the output's sample format.
    ///
    /// - Returns: The number of frames.
    mutating func read(into region: UnsafeMutableRawBufferPointer) -> Int {
        let capacity = region.count / format.bytesPerFrame
        guard let base = region.baseAddress, capacity > 0 else { return 0 }
        let shorts = unsafe base.assumingMemoryBound(to: Int16.self)
        let count = unsafe Int(sonicReadShortFromStream(stream, shorts, Int32(capacity)))
        let sampleCount = count * format.channels.count
        // 16-bit samples lie at the start of the region; wider ones are expanded from the end.
        switch format.sampleFormat {
        case .s16: break
        case .s32:
            let target = unsafe base.assumingMemoryBound(to: Int32.self)
            for index in (0..<sampleCount).reversed() { unsafe target[index] = Int32(shorts[index]) << 16 }
        case .f32:
            let target = unsafe base.assumingMemoryBound(to: Float.self)
            for index in (0..<sampleCount).reversed() { unsafe target[index] = Float(shorts[index]) / 32_768 }
        }
        taken += count
        return count
    }

    /// Outputs the frames still held; 0 when there are none.
    mutating func finish(into region: UnsafeMutableRawBufferPointer) -> Int {
        unsafe sonicFlushStream(stream)
        let remaining = Int(saturating: Double(written) / speed) - taken
        guard remaining > 0 else { return 0 }
        let bytes = min(region.count, remaining * format.bytesPerFrame)
        return unsafe read(into: UnsafeMutableRawBufferPointer(rebasing: region[..<bytes]))
    }
}
