package import AudioTypes
package import Mixing
package import Outputs
internal import Synchronization

/// A mixer's output for one player.
///
/// Its frames are the player's own; the mixer knows where they lie among what is heard.
package final class MixerChannel: AudioOutput {
    package let mixer: Mixer
    package let role: Mixer.Role
    let id: Int
    /// The highest volume it can have.
    private let ceiling: Volume

    /// How long a voice's volume takes to change, in seconds.
    private static let volumeRamp = 0.02

    init(_ mixer: Mixer, id: Int, role: Mixer.Role, ceiling: Volume) {
        self.mixer = mixer
        self.id = id
        self.role = role
        self.ceiling = min(ceiling, .full)
    }

    package var format: AudioFormat { mixer.output.format }
    package var depth: Double { mixer.output.depth }
    package var lead: Double { mixer.output.lead }
    package var keepsTime: Bool { mixer.output.keepsTime }
    package var history: Double { mixer.output.history }
    package var rewriteMargin: Double? { mixer.output.rewriteMargin }

    package func attach(
        _ ring: any FrameReading,
        at position: FramePosition,
        events: @escaping @Sendable (OutputEvent) -> Void
    ) {
        mixer.conduct { [id] mix, now in
            mix.listen(id, events)
            return mix.attach(id, ring, at: position.index, now)
        }
        // Who comes late was not told.
        if let loss = mixer.frames.mix.withLock({ $0.loss }) { events(.lost(loss)) }
    }

    package func start() { start(fadingOver: 0) }

    package func start(fadingOver seconds: Double) {
        let length = format.frames(in: seconds)
        mixer.conduct { [id] mix, now in mix.start(id, fadingOver: length, now) }
    }

    package func pause() { pause(fadingOver: 0) }

    package func pause(fadingOver seconds: Double) {
        let length = format.frames(in: seconds)
        mixer.conduct { [id] mix, now in mix.pause(id, fadingOver: length, now) }
    }

    package func discard(to position: FramePosition) {
        mixer.conduct { [id] mix, now in mix.discard(id, to: position.index, now) }
    }

    package func rewind(to position: FramePosition) {
        mixer.conduct { [id] mix, now in mix.rewind(id, to: position.index, now) }
    }

    package func framesAvailable() { mixer.conduct { [id] mix, now in mix.framesAvailable(id, now) } }

    package func ramp(to gain: Gain, over seconds: Double) {
        let length = format.frames(in: seconds)
        mixer.conduct { [id] mix, now in mix.ramp(id, \.duck, to: gain, over: length, now) }
    }

    package func setVolume(_ volume: Volume, isMuted: Bool) {
        guard role == .voice else { return mixer.output.setVolume(volume, isMuted: isMuted) }
        let gain = isMuted ? Gain.silence : min(volume, ceiling).gain
        let length = format.frames(in: Self.volumeRamp)
        mixer.conduct { [id] mix, now in mix.ramp(id, \.level, to: gain, over: length, now) }
    }

    /// The output's clock, in the frames of the channel; it stands while the channel is not heard.
    package var clock: OutputClock {
        let clock = mixer.output.clock
        return mixer.frames.mix.withLock { $0.clock(of: id, clock) }
    }

    package func close() {
        if role == .programme { return mixer.close() }
        mixer.remove(id)
    }
}

extension Mix {
    mutating func listen(_ id: Int, _ events: @escaping @Sendable (OutputEvent) -> Void) {
        for index in tracks.indices where tracks[index].id == id { tracks[index].events = events }
    }

    /// What is heard of a track, when the output's clock is known.
    func clock(of id: Int, _ output: OutputClock) -> OutputClock {
        let now = HostTime.now
        guard let track = tracks.first(where: { $0.id == id }) else { return OutputClock(frame: 0, time: now, rate: 0) }
        let heard = output.frame(at: now)
        let time = max(now, output.time)
        let standing = OutputClock(frame: Double(track.next), time: now, rate: 0)
        // What was mixed from where frames were missing on is not the track's.
        if let missing = track.missing, heard >= Double(missing) {
            return OutputClock(
                frame: track.map.source(at: missing).map(Double.init) ?? standing.frame,
                time: now,
                rate: 0
            )
        }
        guard let place = track.map.place(at: heard) else { return standing }
        if place.isMoving { return OutputClock(frame: place.source, time: time, rate: output.rate) }
        guard let start = place.resumes, output.rate > 0 else {
            return track.map.isOpen ? OutputClock(frame: place.source, time: now, rate: 0) : standing
        }
        return OutputClock(frame: place.source, time: time + (Double(start) - heard) / output.rate, rate: output.rate)
    }
}
