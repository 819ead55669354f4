package import AudioTypes
package import Mixing

/// Where a player's frames go to be heard: a sound server, a file, a pipe, or nowhere in real time.
///
/// An output takes frames from the ring at its own pace and on its own thread, from `start` on. The calls may come from
/// any thread; none waits for sound or for a server, so all take effect at once however much is buffered.
package protocol AudioOutput: AnyObject, Sendable {
    /// Whether frames are heard at the pace at which they were made; if not, they are taken as fast as they come.
    var keepsTime: Bool { get }

    /// What the ring must hold; fixed once the output is open.
    var format: AudioFormat { get }

    /// How many seconds of frames the output may hold back unheard.
    var depth: Double { get }

    /// How many seconds of frames the output takes before anything is heard. So much silence is written behind the last
    /// item, and so much is decoded after a jump before the output is told.
    var lead: Double { get }

    /// How many seconds of frames must stay in the ring after they were heard.
    var history: Double { get }

    /// Gives the output its frames, from `position` on, and says who hears of what happens to it; called before all else.
    ///
    /// Called again while paused, the output leaves the frames it had for others.
    func attach(_ ring: any FrameReading, at position: FramePosition, events: @escaping @Sendable (OutputEvent) -> Void)

    /// Begins or goes on to take frames and play them.
    func start()

    /// Falls silent at once. What was taken and not heard is kept and comes first after `start`.
    func pause()

    /// Drops all that was not heard yet; what follows is taken from `position` on.
    func discard(to position: FramePosition)

    /// Does what `discard` does, and tells which frame was heard last.
    ///
    /// Where frames count as heard when they are taken, none is taken in between.
    func giveUp(to position: FramePosition) -> Double

    /// The frames from `position` on are about to change: whatever was taken of them is to be replaced as soon as the new
    /// ones are there.
    func rewind(to position: FramePosition)

    /// More frames are in the ring.
    func framesAvailable()

    /// How many seconds ahead of what is heard frames can still be replaced; `nil` when what was taken cannot be called
    /// back at all.
    var rewriteMargin: Double? { get }

    /// The frames from `position` on have changed: whatever was taken of them is taken again, and nothing else is heard
    /// differently.
    ///
    /// What is changed nearer than `rewriteMargin` may be heard as it was.
    func rewrite(from position: FramePosition)

    /// What is heard now.
    var clock: OutputClock { get }

    /// Sets what the listener's volume control shows.
    func setVolume(_ volume: Volume, isMuted: Bool)

    /// Multiplies the frames with a gain of our own, which no volume control shows, from now on or after the next start.
    ///
    /// Gets there evenly in dB. An output that has none stays as loud as it is.
    func ramp(to gain: Gain, over seconds: Double)

    /// Fades to silence, and pauses at the frame where that ended; the clock runs on until then.
    ///
    /// What cannot fade pauses at once.
    func pause(fadingOver seconds: Double)

    /// Begins, or goes on at the frame it paused at, fading in.
    ///
    /// What cannot fade starts at once.
    func start(fadingOver seconds: Double)

    /// Ends the output; a file is completed. Blocks until that is done.
    func close()
}

extension AudioOutput {
    package var keepsTime: Bool { true }

    /// Enough for going back to what was heard when a sound server is lost.
    package var history: Double { 0.5 }

    package var rewriteMargin: Double? { nil }

    package func giveUp(to position: FramePosition) -> Double {
        let heard = clock.frame(at: .now)
        discard(to: position)
        return heard
    }

    package func rewrite(from position: FramePosition) {
        rewind(to: position)
        framesAvailable()
    }

    package func ramp(to gain: Gain, over seconds: Double) {}

    package func pause(fadingOver seconds: Double) { pause() }

    package func start(fadingOver seconds: Double) { start() }

    /// Gives the output the frames of a ring that is new.
    package func attach(_ ring: any FrameReading, events: @escaping @Sendable (OutputEvent) -> Void) {
        attach(ring, at: .zero, events: events)
    }
}

/// What an output tells of itself, from a thread of its own.
package enum OutputEvent: Sendable, Hashable {
    /// It cannot play for now; it tries again by itself until it is paused.
    case lost(String)
    /// It plays again, from where it was lost.
    case restored
    /// It cannot play any more.
    case failed(String)
    /// Its clock was set: times computed from an earlier one are off.
    case clockChanged
}

/// Which frame is heard, at one moment and from then on.
package struct OutputClock: Sendable, Hashable {
    /// The frame that is heard at `time`; may be a fraction.
    package var frame: Double
    package var time: HostTime
    /// Frames per second; 0 while paused.
    package var rate: Double

    package init(frame: Double, time: HostTime, rate: Double) {
        self.frame = frame
        self.time = time
        self.rate = rate
    }

    /// The frame that is heard at a moment, if frames do not run out before.
    package func frame(at now: HostTime) -> Double { frame + max(0, now - time) * rate }

    /// The moment at which a frame will be heard; `nil` while paused.
    package func time(of frame: FramePosition) -> HostTime? {
        guard rate > 0 else { return nil }
        return time + (Double(frame.index) - self.frame) / rate
    }
}
