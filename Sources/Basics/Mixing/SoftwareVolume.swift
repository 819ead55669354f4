package import AudioTypes

/// A gain on an output's frames, known for each frame, so that frames can be rendered again.
package struct SoftwareVolume: Sendable, Hashable {
    private var from: Float
    private var to: Float
    private var start = 0
    private var length = 0

    package init(_ gain: Gain) {
        from = gain.linear
        to = gain.linear
    }

    /// Whether frames stay as they are from now on.
    package var isUnity: Bool { from == 1 && to == 1 }

    package var target: Gain { Gain(linear: to) }

    /// Ramps to a gain from a frame on, starting at the gain in effect there.
    package mutating func move(to gain: Gain, at frame: Int, over length: Int) {
        from = self.gain(at: frame).linear
        to = gain.linear
        start = frame
        self.length = length
    }

    package func gain(at frame: Int) -> Gain {
        guard frame < start + length else { return Gain(linear: to) }
        let share = Float(max(0, frame - start)) / Float(length)
        return Gain(linear: from + (to - from) * share)
    }

    /// Applies the gain to frames, the first of which is number `frame`.
    package func apply(to frames: UnsafeMutableRawPointer, count: Int, at frame: Int, format: AudioFormat) {
        var ramp = GainRamp(gain(at: frame))
        if frame < start + length { ramp.move(to: target, over: start + length - frame) }
        unsafe ramp.apply(to: frames, count: count, format: format)
    }
}
