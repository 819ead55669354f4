internal import AudioTypes
internal import Mixing
internal import Outputs

/// A member as its group keeps it.
struct GroupMember: Sendable {
    var description: OutputDescription
    let opener: Opener
    var error: String?
    var live: LiveOutput?
    /// Whether it must not be opened again until somebody asks: what it wrote would be lost.
    var hasFailed = false
    /// What was heard when it was to be opened.
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
            attributes: description.attributes
        )
    }

    /// Whether it should be open and is not.
    var needsOpening: Bool { description.isEnabled && live == nil && !hasFailed }

    /// Files are made when they are needed; other outputs show their volume before.
    var opensEarly: Bool { !keepsAll }

    /// Whether it gets what was heard while it was being opened.
    var keepsAll: Bool { description.plugin == .recorder || description.plugin == .pipe }
}

/// A member's output while it is open.
struct LiveOutput: Sendable {
    /// Tells it from those that the member had before; never used again.
    let serial: Int
    /// In the group's format.
    let output: any AudioOutput
    /// The same, if it is fed.
    let feed: FedOutput?
    /// Nobody hears it; it tries again by itself.
    var isLost = false
    /// Whether it has begun and its clock does not run yet.
    var isEntering = false
    /// When it was last brought back in line with the clock.
    var aligned: HostTime?

    /// Takes an output that is open, and fits it to the group.
    init(_ output: any AudioOutput, _ description: OutputDescription, serial: Int, format: AudioFormat) {
        self.serial = serial
        let plugin = description.plugin
        // A sink multiplies by itself.
        let rendersVolume = description.mixer == .software && !plugin.takesAtOnce
        if output.format == format, !plugin.takesAtOnce, !rendersVolume || plugin == .null {
            self.output = output
            feed = nil
        } else {
            let feed = FedOutput(output, format: format, rendersVolume: rendersVolume)
            self.output = feed
            self.feed = feed
        }
    }
}

extension OutputPlugin {
    /// How a member of the kind follows somebody else's clock.
    func pace(by clock: @escaping @Sendable () -> OutputClock) -> Pace {
        switch self {
        // Whoever reads a FIFO shows or plays it in real time.
        case .fifo: Pace(clock: clock, ahead: 0.1, period: 0.05)
        default: Pace(clock: clock, ahead: 0, period: 0.5)
        }
    }

    /// Seconds between attempts to open it, at most: a sound server is to be heard again within a second.
    var longestDelay: Double { self == .pulse ? 0.6 : 10 }
}
