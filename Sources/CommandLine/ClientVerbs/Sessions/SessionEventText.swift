import CivilTime
import CommandOptions
import Glibc
import ProtocolClient
import Records
import TerminalText
import TextEncodings

/// An event of the log, for people and programs.
struct SessionEventText {
    var event: SessionEvent
    /// The session's name, if it still exists.
    var name: String?

    /// `14:03:22.125  kitchen  interruptionBegan  call`.
    var line: StyledText {
        var line = StyledText(localTime(event.time), .faint)
        line.append("  ")
        line.append(DisplayText.harmless(subject), .strong)
        line.append("  ")
        line.append(event.type, style)
        let details = details
        if !details.isEmpty { line.append("  \(DisplayText.harmless(details))") }
        return line
    }

    var plainLine: String {
        ["\(event.number)", event.time, event.session.map(String.init) ?? "", event.type, details]
            .joined(separator: "\t")
    }

    var json: JSON { event.reply.record(.events, ("name", name)) }

    private var subject: String {
        guard let session = event.session else { return "all" }
        return name.map { "\($0) (\(session))" } ?? "session \(session)"
    }

    private var details: String {
        event.details.map { pair in
            switch pair.key {
            case "shouldresume": pair.value == "1" ? "resume" : "do not resume"
            case "reason", "recommendation": pair.value
            case "previousroute": "from \(pair.value)"
            case "route": "to \(pair.value)"
            case "source": "by \(pair.value)"
            case "uri": pair.value
            case "after": "after \(pair.value) s"
            case "gain": "by \(pair.value) dB"
            default: "\(pair.key) \(pair.value)"
            }
        }
        .filter { !$0.isEmpty }.joined(separator: ", ")
    }

    private var style: TextStyle {
        switch event.type {
        case "interruptionBegan", "ducked", "mediaServicesLost", "streamLost", "playbackStalled": .attention
        case "interruptionEnded", "unducked", "mediaServicesReset", "didBecomeActive", "streamRestored": .good
        default: .plain
        }
    }
}

/// The local time of day of a timestamp such as `2026-11-21T08:15:30.125Z`; other text is returned unchanged.
func localTime(_ text: String) -> String {
    guard let seconds = seconds(ofTimestamp: text), let clock = localTime(seconds, "%H:%M:%S") else { return text }
    let fraction = text.dropLast().split(separator: ".").dropFirst()
    return ([clock] + fraction.map(String.init)).joined(separator: ".")
}
