internal import AudioTypes
internal import Outputs

/// A member, as its group stores it.
struct GroupMember: Sendable {
    var description: OutputDescription
    let opener: Opener
    var error: String?
    /// The last change of the sink where it is heard.
    var route: RouteChange?
    var live: LiveOutput?
    /// Whether it must not be reopened unasked, which would overwrite what it wrote.
    var hasFailed = false
    /// The heard frame when it was requested.
    var requested = FramePosition.zero

    var name: String { description.name }

    var state: OutputState {
        OutputState(
            name: description.name,
            plugin: description.plugin,
            mixer: description.mixer,
            isEnabled: description.isEnabled,
            isOpen: live != nil,
            error: error,
            server: description.server,
            device: description.device,
            pausesWhenLost: description.pausesWhenLost,
            route: route,
            routeLoss: live?.routeLoss,
            attributes: attributes,
            scalesSamples: live?.volumeControl?.scalesSamples ?? false,
            formats: description.plugin.hasSinks
                ? live.map { .init(output: $0.inner.format, sink: $0.inner.preferredFormat) } : nil
        )
    }

    private var attributes: [String: String] {
        guard let own = live?.inner.ownAttributes?.attributes else { return description.attributes }
        return description.attributes.merging(own) { $1 }
    }

    /// Whether it should be open and is not.
    var needsOpening: Bool { description.isEnabled && live == nil && !hasFailed }

    /// Whether it opens before playback: files are created when needed, other outputs show their volume before.
    var opensEarly: Bool { !keepsAll }

    /// Whether it also gets the frames heard while it was being opened.
    var keepsAll: Bool { description.plugin == .recorder || description.plugin == .pipe }
}

/// A member's output while it is open.
struct LiveOutput: Sendable {
    /// Distinguishes it from the member's earlier outputs; never reused.
    let serial: Int
    /// In the group's format.
    private(set) var output: any AudioOutput
    /// The same, if it needs a feed.
    private(set) var feed: FedOutput?
    /// The place where the volume is applied; `nil` for none.
    private(set) var volumeControl: (any VolumeControl)?
    /// Whether it cannot be heard; it reconnects by itself.
    var isLost = false
    /// Why its sink is gone, if that is why it cannot be heard.
    var routeLoss: RouteLoss?
    /// Whether it has started and its clock does not run yet.
    var isEntering = false
    /// When it was last realigned with the clock.
    var aligned: HostTime?

    /// The output itself, in its own format.
    var inner: any AudioOutput { feed?.inner ?? output }

    func show(_ title: StreamTitle) { inner.titles?.show(title) }

    /// Takes an open output, and adapts it to the group.
    init(_ output: any AudioOutput, _ description: OutputDescription, serial: Int, format: AudioFormat) {
        self.serial = serial
        self.output = output
        adapt(output, description, format)
    }

    /// Adapts the output to another format of the group, which has dropped all frames.
    ///
    /// - Parameter keepsSinks: Whether the output itself takes its sink's format.
    mutating func reformat(to format: AudioFormat, _ description: OutputDescription, keepsSinks: Bool) {
        if description.plugin.takesAtOnce {
            feed?.reformat(to: format)
            return
        }
        let inner = feed?.release() ?? output
        let own = keepsSinks ? inner.preferredFormat : format
        inner.reformat(to: own)
        adapt(inner, description, format)
    }

    private mutating func adapt(_ output: any AudioOutput, _ description: OutputDescription, _ format: AudioFormat) {
        let plugin = description.plugin
        // A sink applies the volume itself.
        let rendersVolume = description.mixer == .software && !plugin.takesAtOnce && !plugin.scalesSamples
        if output.format == format, !plugin.takesAtOnce, !rendersVolume || plugin == .null {
            self.output = output
            feed = nil
        } else {
            let feed = FedOutput(output, format: format, rendersVolume: rendersVolume)
            self.output = feed
            self.feed = feed
        }
        let control: (any VolumeControl)? = rendersVolume ? feed : output.volumeControl
        volumeControl = description.mixer == .none ? nil : control
    }
}

extension OutputPlugin {
    /// How a member of this kind follows the leader's clock.
    func pace(by clock: @escaping @Sendable () -> OutputClock) -> Pace {
        switch self {
        // The reader of a FIFO shows or plays it in real time.
        case .fifo: Pace(clock: clock, ahead: 0.1, period: 0.05)
        // A newcomer needs some sound at once, and the others get theirs in packets.
        case .httpd, .icecast, .hls: Pace(clock: clock, ahead: 0, period: 0.25, behind: 1.5)
        case .snapcast: Pace(clock: clock, ahead: 0.05, period: 0.05)
        default: Pace(clock: clock, ahead: 0, period: 0.5)
        }
    }

    /// Longest delay between attempts to open it, in seconds: a sound server should be heard again within a second.
    var longestDelay: Double { hasSinks ? 0.6 : 10 }
}
