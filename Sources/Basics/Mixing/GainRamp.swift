package import AudioTypes

/// A gain that ramps linearly to a new value, since a jump would click.
package struct GainRamp: Sendable, Hashable {
    private var current: Float
    private var target: Float
    private var step: Float = 0
    private var remaining = 0

    package init(_ gain: Gain) {
        current = gain.linear
        target = gain.linear
    }

    /// Starts a ramp to `gain` that ends after `frames`.
    package mutating func move(to gain: Gain, over frames: Int) {
        target = gain.linear
        remaining = max(0, frames)
        guard remaining > 0 else {
            current = target
            return
        }
        step = (target - current) / Float(remaining)
    }

    /// Whether samples stay unchanged.
    package var isUnity: Bool { remaining == 0 && current == 1 }

    /// Multiplies interleaved frames in place.
    ///
    /// Real-time safe: no allocation, no lock.
    @_noAllocation @_noLocks
    package mutating func apply(to frames: UnsafeMutableRawPointer, count: Int, format: AudioFormat) {
        guard !isUnity else { return }
        let channels = format.channels.count
        for frame in 0..<count {
            if remaining > 0 {
                remaining -= 1
                current = remaining == 0 ? target : current + step
            }
            let first = frame * channels
            switch format.sampleFormat {
            case .s16:
                let samples = unsafe frames.assumingMemoryBound(to: Int16.self)
                for index in first..<first + channels {
                    unsafe samples[index] = Int16(clampedToInt16: Float(samples[index]) * current)
                }
            case .s32:
                let samples = unsafe frames.assumingMemoryBound(to: Int32.self)
                for index in first..<first + channels {
                    unsafe samples[index] = Int32(clampedToInt32: Double(samples[index]) * Double(current))
                }
            case .f32:
                let samples = unsafe frames.assumingMemoryBound(to: Float.self)
                for index in first..<first + channels { unsafe samples[index] *= current }
            }
        }
    }
}

extension Int16 {
    @_noAllocation @_noLocks
    fileprivate init(clampedToInt16 value: Float) {
        self = Int16(saturating: value + (value < 0 ? -0.5 : 0.5))
    }
}

extension Int32 {
    @_noAllocation @_noLocks
    fileprivate init(clampedToInt32 value: Double) {
        self = Int32(saturating: value + (value < 0 ? -0.5 : 0.5))
    }
}
