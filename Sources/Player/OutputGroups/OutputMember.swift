package import AudioTypes
package import Outputs

/// What kind of output a member is; the names are MPD's.
package enum OutputPlugin: String, Sendable, Hashable, CaseIterable {
    /// A sound server.
    case pulse
    /// Nobody hears it, in real time.
    case null
    /// A file that is being encoded.
    case recorder
    /// A FIFO, in real time, whether anybody reads it or not.
    case fifo
    /// A program or a file that takes raw frames.
    case pipe

    /// Who sets the clock first; `nil`: it has none.
    var rank: Int? {
        switch self {
        case .pulse: 0
        case .null: 1
        case .fifo: nil
        case .recorder, .pipe: 2
        }
    }

    /// Whether a group that has such a member plays in real time.
    var isRealTime: Bool { self != .recorder && self != .pipe }

    /// Whether it takes what it is given at once and so must be held to somebody's time.
    var takesAtOnce: Bool {
        switch self {
        case .pulse, .null: false
        case .recorder, .fifo, .pipe: true
        }
    }
}

/// What the volume does to a member.
package enum MixerKind: String, Sendable, Hashable, CaseIterable {
    /// It is the output's own, which mixers of the desktop show too.
    case hardware
    /// The frames are multiplied.
    case software
    /// Nothing.
    case none
}

/// What a member of an output group is made from.
package struct OutputDescription: Sendable {
    /// Unique in its group.
    package var name: String
    package var plugin: OutputPlugin
    package var mixer: MixerKind
    package var isEnabled: Bool
    /// Shown to clients, and changed by them.
    package var attributes: [String: String]
    /// Opens the output.
    ///
    /// Is called on a thread of its own and may block; again when it threw, and when an output was lost. Gets the
    /// group's format; an output with another is given converted frames.
    package var open: @Sendable (AudioFormat) throws -> any AudioOutput

    package init(
        name: String,
        plugin: OutputPlugin,
        mixer: MixerKind = .software,
        isEnabled: Bool = true,
        attributes: [String: String] = [:],
        open: @escaping @Sendable (AudioFormat) throws -> any AudioOutput
    ) {
        self.name = name
        self.plugin = plugin
        self.mixer = mixer
        self.isEnabled = isEnabled
        self.attributes = attributes
        self.open = open
    }
}

/// What is known of a member at one moment.
package struct OutputState: Sendable, Hashable {
    package var name: String
    package var plugin: OutputPlugin
    package var mixer: MixerKind
    package var isEnabled: Bool
    package var isOpen: Bool
    /// Why nothing is heard through it, on one line.
    package var error: String?
    package var attributes: [String: String]
}

/// A member that was taken out of its group, to be put into another one.
///
/// An output that is open stays open; whoever does not put it into a group has to close it.
package struct DetachedOutput: Sendable {
    package let description: OutputDescription
    let output: (any AudioOutput)?

    package func close() { output?.close() }
}
