internal import CommandOptions
package import TerminalText
package import TextEncodings

/// A sink of the sound server, as `segue devices` shows it.
package struct OutputDevice: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
        case running, idle, suspended, unknown
    }

    /// The value for `--device`.
    package var name: String
    /// Its display name.
    package var description: String
    package var isDefault: Bool
    package var state: State
    /// Its sample format, such as `s16le 2ch 44100Hz`.
    package var format: String
    /// The port that it plays through, as AVAudioSession.Port names it.
    package var portType: String

    package init(
        name: String,
        description: String,
        isDefault: Bool,
        state: State,
        format: String,
        portType: String
    ) {
        self.name = name
        self.description = description
        self.isDefault = isDefault
        self.state = state
        self.format = format
        self.portType = portType
    }
}

/// The list of sinks, for people and for programs.
package enum DeviceReport {
    /// One line per sink: a star at the default one, the name, the description, port type, state and format.
    package static func lines(_ devices: [OutputDevice]) -> [StyledText] {
        let names = devices.map { DisplayText.harmless($0.name) }
        let width = names.map(DisplayText.width).max() ?? 0
        return zip(devices, names).map { device, name in
            var line = StyledText(device.isDefault ? "* " : "  ", .good)
            line.append(name, .strong)
            line.append(String(repeating: " ", count: width - DisplayText.width(of: name) + 2))
            line.append(DisplayText.harmless(device.description))
            line.append(
                "  [\(device.portType), \(device.state.rawValue), \(DisplayText.harmless(device.format))]",
                .faint
            )
            return line
        }
    }

    package static func json(_ device: OutputDevice) -> JSON {
        .object([
            .init("name", .string(device.name)),
            .init("description", .string(device.description)),
            .init("default", .bool(device.isDefault)),
            .init("state", .string(device.state.rawValue)),
            .init("format", .string(device.format)),
            .init("port_type", .string(device.portType)),
        ])
    }
}
