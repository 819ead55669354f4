package import AudioTypes
package import Outputs

/// The kinds of outputs that members are; the names are MPD's.
package enum OutputPlugin: String, Sendable, Hashable, CaseIterable {
    /// A sound server.
    case pulse
    /// A device of ALSA.
    case alsa
    /// Silent, in real time.
    case null
    /// An encoded file.
    case recorder
    /// A FIFO, in real time, with or without a reader.
    case fifo
    /// A program or a file that receives raw frames.
    case pipe
    /// A stream that listeners fetch by HTTP.
    case httpd
    /// A stream to an Icecast server.
    case icecast
    /// A stream in segments, in a folder.
    case hls
    /// A Snapcast server.
    case snapcast

    /// Precedence as the leader, lowest first; `nil` when it has no clock.
    var rank: Int? {
        switch self {
        case .pulse, .alsa: 0
        case .null: 1
        case .fifo, .httpd, .icecast, .hls, .snapcast: nil
        case .recorder, .pipe: 2
        }
    }

    /// Whether a group with such a member plays in real time.
    var isRealTime: Bool { self != .recorder && self != .pipe }

    /// Whether it has sinks, which can be unplugged, and formats of their own.
    package var hasSinks: Bool { self == .pulse || self == .alsa }

    /// Whether it scales samples itself where its mixer is `software`.
    var scalesSamples: Bool { self == .alsa }

    /// Whether it takes frames at once and so must follow another clock.
    var takesAtOnce: Bool {
        switch self {
        case .pulse, .alsa, .null: false
        case .recorder, .fifo, .pipe, .httpd, .icecast, .hls, .snapcast: true
        }
    }
}

/// How the volume is applied to a member.
package enum MixerKind: String, Sendable, Hashable, CaseIterable {
    /// The output's own volume, which the desktop's mixers show too.
    case hardware
    /// Gain applied to the frames.
    case software
    /// The volume has no effect.
    case none
}

/// How to make a member of an output group.
package struct OutputDescription: Sendable {
    /// Unique in its group.
    package var name: String
    package var plugin: OutputPlugin
    package var mixer: MixerKind
    package var isEnabled: Bool
    /// Shown to clients, and changed by them.
    package var attributes: [String: String]
    /// The address of the sound server; `nil` is that of `PULSE_SERVER`, or the default.
    package var server: String?
    /// The name of the wanted sink; `nil` is the sound server's default.
    package var device: String?
    /// Whether the player pauses when the sink is gone.
    package var pausesWhenLost: Bool
    /// Whether the sink is asked for the format of each file.
    package var formatPolicy: FormatPolicy
    /// The format to render for a sink that needs no conversion in this one.
    package var rendered: @Sendable (AudioFormat) -> AudioFormat
    /// Opens the output.
    ///
    /// Called on a thread of its own, and may block; again after an error, and when an output was lost. Receives the
    /// group's format; an output with another format is given converted frames.
    package var open: @Sendable (AudioFormat) throws -> any AudioOutput

    package init(
        name: String,
        plugin: OutputPlugin,
        mixer: MixerKind = .software,
        isEnabled: Bool = true,
        attributes: [String: String] = [:],
        server: String? = nil,
        device: String? = nil,
        pausesWhenLost: Bool = false,
        formatPolicy: FormatPolicy = .sink,
        rendered: @escaping @Sendable (AudioFormat) -> AudioFormat = { $0 },
        open: @escaping @Sendable (AudioFormat) throws -> any AudioOutput
    ) {
        self.name = name
        self.plugin = plugin
        self.mixer = mixer
        self.isEnabled = isEnabled
        self.attributes = attributes
        self.server = server
        self.device = device
        self.pausesWhenLost = pausesWhenLost
        self.formatPolicy = formatPolicy
        self.rendered = rendered
        self.open = open
    }
}

/// A snapshot of a member.
package struct OutputState: Sendable, Hashable {
    package var name: String
    package var plugin: OutputPlugin
    package var mixer: MixerKind
    package var isEnabled: Bool
    package var isOpen: Bool
    /// Why it cannot be heard, on one line.
    package var error: String?
    /// The address of the sound server; `nil` is the default.
    package var server: String?
    /// The name of the wanted sink; `nil` is the sound server's default.
    package var device: String?
    /// Whether the player pauses when the sink is gone.
    package var pausesWhenLost: Bool
    /// The last change of the sink where it is heard; `nil` for an output without sinks, or before the first one.
    package var route: RouteChange?
    /// Why its sink is gone, if that is why it cannot be heard.
    package var routeLoss: RouteLoss?
    package var attributes: [String: String]
    /// Whether a volume below full changes its samples.
    package var scalesSamples: Bool
    /// The format that it receives, and its sink's; `nil` while it is closed, or has no sink.
    package var formats: Formats?

    /// The formats at an output with sinks.
    package struct Formats: Sendable, Hashable {
        package var output: AudioFormat
        package var sink: AudioFormat
    }

    /// The name of the sink where it is heard or waits to be heard; `nil` is the sound server's default.
    package var sink: String? {
        guard let loss = routeLoss else { return route?.sink ?? device }
        return loss.sink.isEmpty ? nil : loss.sink
    }
}

/// A member removed from its group, to be added to another one.
///
/// An open output stays open; unless added to a group, it must be closed by its owner.
package struct DetachedOutput: Sendable {
    package let description: OutputDescription
    let output: (any AudioOutput)?
    let route: RouteChange?

    package func close() { output?.close() }
}
