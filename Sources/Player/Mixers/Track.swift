internal import AudioTypes
internal import Mixing
internal import Outputs

/// One player's part of a mix: its frames, where they lie in the mixed stream, and how loud they are.
struct Track: Sendable {
    let id: Int
    let role: Mixer.Role
    var ring: (any FrameReading)?
    var events: (@Sendable (OutputEvent) -> Void)?
    var map = SegmentMap()
    /// The duck, the fades to and from a pause, and a voice's own volume.
    var duck = GainEnvelope()
    var fade = GainEnvelope()
    var level = GainEnvelope()
    /// Whether its player is closed.
    var isGone = false
    /// Whether its player has started it: its transport's `runsOutput`, as last told.
    var isStarted = false
    /// Its frame to continue with, while it is not in the mix.
    var next = 0
    /// Its frames from here on are about to change.
    var hold: Int?
    /// The frame of the mixed stream from which on it was silent because its frames were missing or about to change.
    var missing: Int?
    /// The frame of the mixed stream at which a fade to a pause ends.
    var fadeEnd: Int?

    init(id: Int, role: Mixer.Role) {
        self.id = id
        self.role = role
    }

    /// Whether it sounds from some frame on without end.
    var sounds: Bool { isStarted && map.isOpen }

    /// The end of its frames.
    var written: Int { min(ring?.written.index ?? 0, hold ?? .max) }

    /// Whether there are frames to start with.
    var hasFrames: Bool { written > next }

    /// The frame of the mixed stream at which its frames end.
    var end: Int? { map.end ?? missing ?? map.frame(of: written) }

    /// The first frame of the mixed stream that can still be mixed; 0 when all of it can.
    var kept: Int {
        guard let kept = ring?.kept.index, let sound = map.lastSound, let source = sound.source, kept > source else {
            return 0
        }
        return sound.start + kept - source
    }

    /// Whether its gain is 1 throughout.
    func isUnity(in range: Range<Int>) -> Bool {
        duck.isUnity(in: range) && fade.isUnity(in: range) && level.isUnity(in: range)
    }

    /// Starts to sound at a frame of the mixed stream.
    mutating func enter(at frame: Int, fadingOver length: Int) {
        map.place(next, at: frame)
        missing = nil
        fadeEnd = nil
        fade.move(to: length > 0 ? .silence : .unity, at: frame, over: 0)
        if length > 0 { fade.move(to: .unity, at: frame, over: length) }
    }

    /// Stops sounding at a frame of the mixed stream, or where its frames ended before that.
    mutating func leave(at frame: Int) {
        let frame = map.isOpen ? min(frame, end ?? frame) : frame
        if map.isOpen || map.end.map({ $0 > frame }) == true { next = map.cut(at: frame) ?? next }
        missing = nil
        fadeEnd = nil
    }

    mutating func forget(before frame: Int) {
        map.forget(before: frame)
        duck.forget(before: frame)
        fade.forget(before: frame)
        level.forget(before: frame)
    }
}
