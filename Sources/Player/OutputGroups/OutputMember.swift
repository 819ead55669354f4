package import AudioTypes
package import Outputs

/// What kind of output a member is; the names are MPD's.
package enum OutputPlugin: String, Sendable, Hashable, CaseIterable {
    /// A sound server.
    case pulse
    /// Silent, in real time.
    case null
    /// An encoded file.
    case recorder
    /// A FIFO, in real time, with or without a reader.
    case fifo
    /// A program or a file that receives raw frames.
    case pipe

    /// Precedence as the leader, lowest first; `nil` when it has no clock.
    var rank: Int? {
        switch self {
        case .pulse: 0
        case .null: 1
        case .fifo: nil
        case .recorder, .pipe: 2
        }
    }

    /// Whether a group with such a member plays in real time.
    var isRealTime: Bool { self != .recorder && self != .pipe }

    /// Whether it takes frames at once and so must follow another clock.
    var takesAtOnce: Bool {
        switch self {
        case .pulse, .null: false
        case .recorder, .fifo, .pipe: true
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

/// A snapshot of a member.
package struct OutputState: Sendable, Hashable {
    package var name: String
    package var plugin: OutputPlugin
    package var mixer: MixerKind
    package var isEnabled: Bool
    package var isOpen: Bool
    /// Why it cannot be heard, on one line.
    package var error: String?
    package var attributes: [String: String]
}

/// A member removed from its group, to be added to another one.
///
/// An open output stays open; unless added to a group, it must be closed by its owner.
package struct DetachedOutput: Sendable {
    package let description: OutputDescription
    let output: (any AudioOutput)?

    package func close() { output?.close() }
}
