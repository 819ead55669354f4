import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

/// Audio sessions, for people and programs.
struct AudioSessionReport: Report {
    var sessions: [SessionBlock]
    /// All sessions of the server, for the names of those that interrupt.
    var known: [SessionBlock] = []

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([
            .init(isRight: true, style: .faint), .init(style: .strong, isFlexible: true), .init(style: .faint),
            .init(isFlexible: true), .init(isFlexible: true), .init(isFlexible: true), .init(isRight: true),
        ])
        for session in sessions {
            table.add(
                [
                    "\(session.id)", session.name, session.kind, Self.place(session), Self.category(session),
                    state(session), session.gain == 0 ? "" : "\(brief(session.gain)) dB",
                ],
                session.state == "inactive" ? .faint : session.state == "interrupted" ? .attention : nil
            )
        }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] {
        sessions.map { session in
            [
                "\(session.id)", session.name, session.kind, session.zone ?? "", Self.category(session),
                state(session), brief(session.gain),
            ]
            .joined(separator: "\t")
        }
    }

    var json: [JSON] { sessions.map { $0.reply.record(.sessions) } }

    /// `kitchen at alsa_output.usb-dac`.
    private static func place(_ session: SessionBlock) -> String {
        let sinks = session.sinks.joined(separator: ", ")
        return sinks.isEmpty ? session.zone ?? "" : "\(session.zone ?? "") at \(sinks)"
    }

    /// `playback spokenAudio +duckOthers`.
    private static func category(_ session: SessionBlock) -> String {
        var words = [session.category].compactMap(\.self)
        if let mode = session.mode, mode != "default" { words.append(mode) }
        words += session.options.map { "+\($0)" }
        return words.joined(separator: " ")
    }

    private func state(_ session: SessionBlock) -> String {
        var words: String
        switch session.state {
        case "interrupted":
            let names = session.interrupters.map { id in (sessions + known).first { $0.id == id }?.name ?? "\(id)" }
            words = names.isEmpty ? "interrupted" : "interrupted by \(names.joined(separator: ", "))"
        case "active": words = session.isPlaying ? "playing" : "active"
        default: words = session.state
        }
        if session.isDucked { words += ", ducked" }
        if session.isMuted { words += ", muted" }
        if session.priorityClass != "normal" { words += ", \(session.priorityClass)" }
        if session.isInBackground { words += ", background" }
        return words
    }
}

/// A reply of pairs, aligned on a terminal.
struct PairReport: Report {
    var pairs: [Pair]

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([.init(style: .faint), .init(isFlexible: true)])
        for pair in pairs where !pair.value.isEmpty { table.add([pair.key, pair.value]) }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] { pairs.map { "\($0.key): \($0.value)" } }

    /// One object; repeated keys become an array.
    var json: [JSON] {
        var fields: [JSON.Field] = []
        for pair in pairs where !fields.contains(where: { $0.name == pair.key }) {
            let values = pairs.filter { $0.key == pair.key }.map { JSON.string($0.value) }
            fields.append(.init(pair.key, values.count == 1 ? values[0] : .array(values)))
        }
        return fields.isEmpty ? [] : [.object(fields)]
    }
}
