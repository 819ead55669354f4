package import AudioTypes
package import Mixing

/// Where frames go: a sound server, a file, a pipe, nowhere in real time, or several of these at once.
///
/// An output takes frames from the ring at its own pace and on its own thread, from `start` on. Calls may come from any
/// thread; none waits for sound or for a server, so all take effect at once however much is buffered.
///
/// An output cannot fade or duck, and has a volume only if it declares a `volumeControl`. Players play to a `MixerChannel`,
/// which can do all of that before any output.
package protocol AudioOutput: AnyObject, Sendable {
    /// Whether frames are played in real time; if not, they are taken as fast as they come.
    var keepsTime: Bool { get }

    /// The format of the ring.
    var format: AudioFormat { get }

    /// The format in which frames would need no conversion; `.formatChanged` tells that it is another one.
    var preferredFormat: AudioFormat { get }

    /// The format of the sink where it is heard, as far as that is known.
    var sinkFormat: AudioFormat { get }

    /// How `preferredFormat` depends on the media that are played, whose format `prefer` names.
    var formatPolicy: FormatPolicy { get }

    /// Prefers a medium's format from now on, unless its policy is the sink's.
    func prefer(_ format: AudioFormat)

    /// The format that the output would prefer for media in a format.
    func nearest(to format: AudioFormat) -> AudioFormat

    /// Takes frames in another format from the next `attach` on.
    ///
    /// Drops all frames not heard yet and lets go of the ring. Outputs whose format is fixed keep it.
    func reformat(to format: AudioFormat)

    /// Seconds of frames that the output may hold unheard.
    var depth: Double { get }

    /// Seconds of frames that the output takes before anything is heard: the length of the silence written after the
    /// last item, and of the stretch decoded after a jump before the output is notified.
    var lead: Double { get }

    /// Seconds by which `clock` may be ahead of what is heard, at the slowest of several outputs. The end of the last
    /// item is delayed by as much, because an output paused at the end would cut it off.
    var spread: Double { get }

    /// Seconds of frames that must stay in the ring after they were heard.
    var history: Double { get }

    /// Gives the output its frames, from `position` on, and the receiver of its events; called before all else.
    ///
    /// Called again while paused, it replaces the ring.
    func attach(_ ring: any FrameReading, at position: FramePosition, events: @escaping @Sendable (OutputEvent) -> Void)

    /// Starts or continues to take frames and play them.
    func start()

    /// Falls silent at once. Frames taken and not heard are kept and come first after `start`.
    func pause()

    /// Drops all frames not heard yet; the next ones are taken from `position` on.
    ///
    /// - Returns: The frame heard last. Where frames count as heard when they are taken, none is taken after it.
    @discardableResult
    func discard(to position: FramePosition) -> Double

    /// The frames from `position` on are about to change: those already taken are replaced as soon as the new ones are
    /// available.
    func rewind(to position: FramePosition)

    /// More frames are in the ring.
    func framesAvailable()

    /// Seconds ahead of the heard frame from which on frames can still be replaced; `nil` when frames once taken cannot
    /// be recalled at all.
    var rewriteMargin: Double? { get }

    /// The frames from `position` on have changed: those already taken are taken again, and nothing else is heard
    /// differently.
    ///
    /// A change nearer than `rewriteMargin` may not be heard.
    func rewrite(from position: FramePosition)

    /// The frame heard now.
    var clock: OutputClock { get }

    /// Closes the output; a file is completed. Blocks until that is done.
    func close()

    // MARK: Of some outputs

    /// The output's volume; `nil` if it has none.
    var volumeControl: (any VolumeControl)? { get }
    /// Where the output tells the title of the medium; `nil` if it does not.
    var titles: (any TitledOutput)? { get }
    /// The attributes that the output has besides those of its settings; `nil` if it has none.
    var ownAttributes: (any AttributedOutput)? { get }
    /// The stream that it makes for listeners; `nil` if it makes none.
    var sharedStream: (any SharedStream)? { get }
}

extension AudioOutput {
    package var preferredFormat: AudioFormat { format }

    package var sinkFormat: AudioFormat { preferredFormat }

    package var formatPolicy: FormatPolicy { .sink }

    package func prefer(_ format: AudioFormat) {}

    package func nearest(to format: AudioFormat) -> AudioFormat { format }

    package func reformat(to format: AudioFormat) {}

    package var keepsTime: Bool { true }

    /// Enough to return to the last heard frame when a sound server is lost.
    package var history: Double { 0.5 }

    package var spread: Double { 0 }

    package var volumeControl: (any VolumeControl)? { nil }
    package var titles: (any TitledOutput)? { nil }
    package var ownAttributes: (any AttributedOutput)? { nil }
    package var sharedStream: (any SharedStream)? { nil }

    package var rewriteMargin: Double? { nil }

    package func rewrite(from position: FramePosition) {
        rewind(to: position)
        framesAvailable()
    }

    /// Gives the output the frames of a new ring.
    package func attach(_ ring: any FrameReading, events: @escaping @Sendable (OutputEvent) -> Void) {
        attach(ring, at: .zero, events: events)
    }
}

/// The volume of an output that has one: a sound server's, which its mixers show, or a gain on the samples.
package protocol VolumeControl: AnyObject, Sendable {
    func setVolume(_ volume: Volume, isMuted: Bool)
    /// Bounds the volume where others can change it as well; `nil` for no bound.
    func setCeiling(_ ceiling: Volume?)
    /// Whether the volume changes samples; a card's mixer does not.
    var scalesSamples: Bool { get }
}

extension VolumeControl {
    package var scalesSamples: Bool { true }

    package func setCeiling(_ ceiling: Volume?) {}
}

extension AudioOutput where Self: VolumeControl {
    package var volumeControl: (any VolumeControl)? { self }
}

extension AudioOutput where Self: TitledOutput {
    package var titles: (any TitledOutput)? { self }
}

extension AudioOutput where Self: AttributedOutput {
    package var ownAttributes: (any AttributedOutput)? { self }
}

/// The medium that is heard, as listeners elsewhere are told.
package struct StreamTitle: Sendable, Hashable {
    package var title: String
    package var artist: String
    package var album: String

    package init(title: String = "", artist: String = "", album: String = "") {
        self.title = title
        self.artist = artist
        self.album = album
    }

    /// On one line.
    package var text: String { artist.isEmpty || title.isEmpty ? artist + title : "\(artist) - \(title)" }
}

/// An output that tells what is heard.
package protocol TitledOutput: AnyObject, Sendable {
    func show(_ title: StreamTitle)
}

/// An output with attributes of its own, which clients see and may set.
package protocol AttributedOutput: AnyObject, Sendable {
    /// By name; must not block.
    var attributes: [String: String] { get }

    /// Sets an attribute; must not block.
    ///
    /// - Throws: `AttributeProblem`.
    func setAttribute(_ name: String, to value: String) throws(AttributeProblem)
}

/// Why an attribute cannot be set.
package struct AttributeProblem: Error, Sendable, Hashable, CustomStringConvertible {
    package let description: String
    package init(_ description: String) { self.description = description }
}

/// An event of an output, from a thread of its own.
package enum OutputEvent: Sendable, Hashable {
    /// It cannot play for now; it retries by itself until it is paused.
    case lost(String)
    /// Its sink is gone. It plays again when the sink is back, or, where the player is to pause, when told to.
    case routeLost(RouteLoss)
    /// It has no use for frames until it is restored, because there are no listeners; that is no error.
    case idle
    /// It plays again, from where it was lost.
    case restored
    /// It is heard at another sink now, or for the first time.
    case routeChanged(RouteChange)
    /// The sound server asks for silence on behalf of another program, such as a call, or takes that back.
    case corkRequested(Bool)
    /// Its volume was raised above the ceiling in the sound server, to this one, and is as it was again.
    case volumeHeld(from: Volume)
    /// It cannot play any more.
    case failed(String)
    /// Its clock was set: times computed before are wrong.
    case clockChanged
    /// An output prefers another format; a mixer's channel has taken another one, in which it needs its frames.
    case formatChanged
    /// Its attributes have changed.
    case attributesChanged
}

/// The frame heard at one moment, and the rate from then on.
package struct OutputClock: Sendable, Hashable {
    /// The frame heard at `time`; may be a fraction.
    package var frame: Double
    package var time: HostTime
    /// Frames per second; 0 while paused.
    package var rate: Double

    package init(frame: Double, time: HostTime, rate: Double) {
        self.frame = frame
        self.time = time
        self.rate = rate
    }

    /// The frame heard at a moment, if frames do not run out before.
    package func frame(at now: HostTime) -> Double { frame + max(0, now - time) * rate }

    /// The moment at which a frame will be heard; `nil` while paused.
    package func time(of frame: FramePosition) -> HostTime? {
        guard rate > 0 else { return nil }
        return time + (Double(frame.index) - self.frame) / rate
    }
}
