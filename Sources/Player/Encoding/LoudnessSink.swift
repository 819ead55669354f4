package import AudioTypes
internal import LoudnessMeasuring
internal import Outputs

/// Measures the loudness of the played frames, which go nowhere.
package final class LoudnessSink: FrameSink {
    private var meter: LoudnessMeter
    private let finished: @Sendable (Loudness) -> Void
    private var samples: [Float] = []

    /// - Parameters:
    ///   - format: Its samples are floating-point numbers.
    ///   - finished: Receives the result, once.
    /// - Returns: `nil` if the rate or the number of channels cannot be measured.
    package init?(_ format: AudioFormat, _ finished: @escaping @Sendable (Loudness) -> Void) {
        precondition(format.sampleFormat == .f32, "measures floating-point numbers")
        guard let meter = LoudnessMeter(sampleRate: format.sampleRate, channels: format.channels) else { return nil }
        self.meter = meter
        self.finished = finished
    }

    package func write(_ bytes: UnsafeRawBufferPointer) {
        samples.removeAll(keepingCapacity: true)
        unsafe samples.append(contentsOf: bytes.bindMemory(to: Float.self))
        unsafe samples.withUnsafeMutableBufferPointer { unsafe meter.add($0) }
    }

    package func finish() { finished(meter.loudness) }
}
