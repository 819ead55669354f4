package import AudioTypes
package import Mixing
package import Outputs
internal import Synchronization

/// One of a mixer's inputs, with fades, a duck and a volume; each player plays to one.
///
/// Its frames are the player's own; the mixer maps them to the mixed stream. Otherwise as `AudioOutput`, whose words and
/// threads are the same.
package final class MixerChannel: Sendable {
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

    package var format: AudioFormat { mixer.frames.format }
    package var depth: Double { mixer.output.depth }
    package var lead: Double { mixer.output.lead }
    package var spread: Double {
        let spread = mixer.output.spread
        // While others sound, the output is not paused at the end: it has only to be told in time.
        return mixer.frames.mix.withLock { $0.othersSound(than: id) } ? min(spread, 0.1) : spread
    }
    package var keepsTime: Bool { mixer.output.keepsTime }
    package var history: Double { mixer.output.history }

    /// Gives the channel its frames, and the receiver of its events; called before all else.
    package func attach(_ ring: any FrameReading, events: @escaping @Sendable (OutputEvent) -> Void) {
        mixer.conduct { [id] mix, now in
            mix.listen(id, events)
            return mix.attach(id, ring, now)
        }
        // A channel attached late has missed the event.
        if let loss = mixer.frames.mix.withLock({ $0.loss }) { events(loss) }
    }

    /// Whether the output takes the format of what the channel plays.
    ///
    /// By itself it does not do so while others sound, which would be interrupted.
    package var formatPolicy: FormatPolicy {
        guard role == .programme else { return .sink }
        let policy = mixer.output.formatPolicy
        let isShared = policy == .automatic && mixer.frames.mix.withLock { $0.othersSound(than: id) }
        return isShared ? .sink : policy
    }

    /// The format that the output would take for media in a format.
    package func nearest(to format: AudioFormat) -> AudioFormat { mixer.output.nearest(to: format) }

    /// Has the output take a medium's format, where it follows media; the caller then replaces the ring.
    package func prefer(_ format: AudioFormat) { if formatPolicy != .sink { mixer.prefer(format, for: id) } }

    /// Whether the output has changed its format since the channel was given its ring, which is not read any more: also where
    /// it is back at that format.
    package var needsRing: Bool { mixer.frames.mix.withLock { $0.needsRing(id) } }

    /// Replaces the ring, after all its frames were dropped, by one in the channel's format as it is now.
    ///
    /// - Returns: False, without any effect, when the format has changed again meanwhile.
    package func replace(_ ring: any FrameReading) -> Bool { mixer.frames.mix.withLock { $0.replace(id, ring) } }

    /// Starts, or continues at the frame where it paused.
    ///
    /// - Parameter seconds: Length of the fade-in; 0: at once.
    package func start(fadingOver seconds: Double = 0) {
        let length = format.frames(in: seconds)
        mixer.conduct { [id] mix, now in mix.start(id, fadingOver: length, now) }
    }

    /// Falls silent, and pauses at the frame where the fade ended; the clock runs on until then.
    ///
    /// - Parameter seconds: Length of the fade-out; 0: at once.
    package func pause(fadingOver seconds: Double = 0) {
        let length = format.frames(in: seconds)
        mixer.conduct { [id] mix, now in mix.pause(id, fadingOver: length, now) }
    }

    /// Drops all frames not heard yet; the next ones are taken from `position` on.
    ///
    /// - Returns: The frame heard last. Where frames count as heard when they are taken, none is taken after it.
    @discardableResult
    package func discard(to position: FramePosition) -> Double {
        var old: Track?
        let heard = mixer.conduct { [id] mix, now in
            old = mix.tracks.first { $0.id == id }
            return mix.discard(id, to: position.index, now)
        }
        return old?.clock(OutputClock(frame: heard, time: .now, rate: 0)).frame ?? 0
    }

    package func rewind(to position: FramePosition) {
        mixer.conduct { [id] mix, now in mix.rewind(id, to: position.index, now) }
    }

    package func framesAvailable() { mixer.conduct { [id] mix, now in mix.framesAvailable(id, now) } }

    /// Ducks the channel, or ends the duck; its volume stays as it is.
    ///
    /// - Parameter seconds: Length of the ramp, which is linear in dB.
    package func ramp(to gain: Gain, over seconds: Double) {
        let length = format.frames(in: seconds)
        mixer.conduct { [id] mix, now in mix.ramp(id, \.duck, to: gain, over: length, now) }
    }

    /// Sets a voice's own volume, or the output's for the programme.
    package func setVolume(_ volume: Volume, isMuted: Bool) {
        guard role == .voice else {
            mixer.volumeControl?.setVolume(volume, isMuted: isMuted)
            return
        }
        let gain = isMuted ? Gain.silence : min(volume, ceiling).gain
        let length = format.frames(in: Self.volumeRamp)
        mixer.conduct { [id] mix, now in mix.ramp(id, \.level, to: gain, over: length, now) }
    }

    /// Bounds the output's volume where others can change it as well; `nil` for no bound.
    package func setCeiling(_ ceiling: Volume?) { mixer.volumeControl?.setCeiling(ceiling) }

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

    /// A track's clock, derived from the output's.
    func clock(of id: Int, _ output: OutputClock) -> OutputClock {
        tracks.first { $0.id == id }?.clock(output) ?? OutputClock(frame: 0, time: .now, rate: 0)
    }
}

extension Track {
    /// Its clock, derived from the output's.
    func clock(_ output: OutputClock) -> OutputClock {
        let now = HostTime.now
        let heard = output.frame(at: now)
        let time = max(now, output.time)
        let standing = OutputClock(frame: Double(next), time: now, rate: 0)
        // The frames mixed where the track's own were missing are not the track's.
        if let missing, heard >= Double(missing) {
            return OutputClock(frame: map.source(at: missing).map(Double.init) ?? standing.frame, time: now, rate: 0)
        }
        guard let place = map.place(at: heard) else { return standing }
        if place.isMoving { return OutputClock(frame: place.source, time: time, rate: output.rate) }
        guard let start = place.resumes, output.rate > 0 else {
            return map.isOpen ? OutputClock(frame: place.source, time: now, rate: 0) : standing
        }
        return OutputClock(frame: place.source, time: time + (Double(start) - heard) / output.rate, rate: output.rate)
    }
}
