internal import AudioTypes
internal import Mixing

/// A gain on a member's frames, known for each frame, so that frames can be rendered again.
struct SoftwareVolume: Sendable, Hashable {
    private var from: Float
    private var to: Float
    private var start = 0
    private var length = 0

    init(_ gain: Gain) {
        from = gain.linear
        to = gain.linear
    }

    var target: Gain { Gain(linear: to) }

    /// Ramps to a gain from a frame on, starting at the gain in effect there.
    mutating func move(to gain: Gain, at frame: Int, over length: Int) {
        from = self.gain(at: frame).linear
        to = gain.linear
        start = frame
        self.length = length
    }

    func gain(at frame: Int) -> Gain {
        guard frame < start + length else { return Gain(linear: to) }
        let share = Float(max(0, frame - start)) / Float(length)
        return Gain(linear: from + (to - from) * share)
    }

    /// Applies the gain to frames, the first of which is number `frame`.
    func apply(to frames: UnsafeMutableRawPointer, count: Int, at frame: Int, format: AudioFormat) {
        var ramp = GainRamp(gain(at: frame))
        if frame < start + length { ramp.move(to: target, over: start + length - frame) }
        unsafe ramp.apply(to: frames, count: count, format: format)
    }
}
