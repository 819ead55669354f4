package import AudioTypes
private import Glibc
internal import MediaCoding
package import Threads

/// The result of measuring a medium's loudness.
package enum MeasuredLoudness: Sendable, Hashable {
    case measured(Loudness)
    /// It cannot be decoded, or takes more than it may.
    case unmeasurable
    /// It was interrupted, or the processor was needed elsewhere for too long.
    case isInterrupted
}

/// The limits of measuring one medium.
package struct LoudnessLimits: Sendable {
    /// Of processor time.
    package var processorSeconds = 600.0
    /// From beginning to end, whatever others do: reading a file without sound takes hardly any processor time.
    package var seconds = 1_800.0
    /// Of sound.
    package var soundSeconds = 86_400.0

    package init() {}
}

/// Decodes a file and measures its loudness; the whole file, also where an entry is a part of it.
///
/// Blocks, and needs a thread of its own.
///
/// - Parameter interrupt: Breaks it off within a moment.
package func measureLoudness(
    of entry: MediaEntry,
    limits: LoudnessLimits = LoudnessLimits(),
    interrupt: Interrupt
) -> MeasuredLoudness {
    let begun = threadProcessorSeconds()
    let bounded = Interrupt(after: limits.seconds, with: interrupt)
    let result: MeasuredLoudness
    do {
        result = try decodedLoudness(of: entry, limits, until: begun + limits.processorSeconds, bounded)
    } catch {
        result = .unmeasurable
    }
    if interrupt.isRaised { return .isInterrupted }
    guard bounded.isRaised else { return result }
    // A file that keeps the disk busy is at fault; one that was kept waiting by other threads is not.
    return threadProcessorSeconds() - begun > limits.seconds / 100 ? .unmeasurable : .isInterrupted
}

private func decodedLoudness(
    of entry: MediaEntry,
    _ limits: LoudnessLimits,
    until end: Double,
    _ interrupt: Interrupt
) throws -> MeasuredLoudness {
    var reader = try MediaReader.open(entry, interrupt: interrupt)
    guard let layout = reader.stream.channels else { return .unmeasurable }
    guard var meter = LoudnessMeter(sampleRate: reader.sampleRate, channels: layout) else { return .unmeasurable }
    let format = AudioFormat(sampleFormat: .f32, sampleRate: reader.sampleRate, channels: layout)
    var converter = AudioConverter(output: format)
    let settings = AudioConverter.Settings()
    var left = Int(saturating: limits.soundSeconds * Double(format.sampleRate))
    let bytes = UnsafeMutableRawBufferPointer.allocate(
        byteCount: max(meter.stepFrames, 4_096) * format.bytesPerFrame,
        alignment: 16
    )
    defer { unsafe bytes.deallocate() }
    while true {
        if interrupt.isRaised { return .isInterrupted }
        let frames: Int
        var isLast = false
        switch unsafe try reader.read(into: bytes, through: &converter, settings) {
        case .frames(let count): frames = count
        case .needsFinish: frames = unsafe try converter.finish(into: bytes)
        case .ended:
            frames = unsafe try converter.finish(into: bytes)
            isLast = frames == 0
        case .metadata, .starved: continue
        }
        left -= frames
        guard left >= 0, threadProcessorSeconds() < end else { return .unmeasurable }
        let samples = unsafe bytes.bindMemory(to: Float.self)
        unsafe meter.add(UnsafeMutableBufferPointer(rebasing: samples[..<(frames * layout.count)]))
        if isLast { return .measured(meter.loudness) }
    }
}

/// The processor time that the calling thread has taken, in seconds.
package func threadProcessorSeconds() -> Double {
    var time = timespec()
    unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}
