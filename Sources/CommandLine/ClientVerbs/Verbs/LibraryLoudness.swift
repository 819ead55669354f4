import ArgumentParser
import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

extension LibraryVerb {
    struct Loudness: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "loudness",
            "Show how loud songs are, and what ReplayGain makes of it.",
            "[<uri> ...]",
            parent: "library"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(help: ArgumentHelp("Songs of the library; by default the current one.", valueName: "uri"))
        var songs: [String] = []

        func run(on session: Session) throws {
            var songs = songs
            if songs.isEmpty, let current = try session.run("currentsong")["file"] { songs = [current] }
            var report = LoudnessReport()
            for song in songs {
                report.rows.append((song, try session.run("library", "loudness", song)))
            }
            session.console.print(report)
        }
    }
}

/// The output of `segue library loudness`.
struct LoudnessReport: Report {
    var rows: [(song: String, facts: ServerReply)] = []

    private static let sources = [
        "tags": "from its tags", "measured": "measured", "unmeasured": "not measured yet",
        "unmeasurable": "cannot be measured",
    ]

    /// The names of the reply, with what they are in words and in which unit.
    private static let values = [
        ("loudness", "", "LUFS"), ("album_loudness", "album", "LUFS"), ("track_gain", "gain", "dB"),
        ("album_gain", "album gain", "dB"), ("track_peak", "peak", "dBTP"), ("album_peak", "album peak", "dBTP"),
    ]

    private static func words(_ facts: ServerReply) -> String {
        let source = facts["source"] ?? ""
        let isMeasured = source == "measured"
        let values = values.compactMap { key, name, unit -> String? in
            guard let value = facts[key] else { return nil }
            // Tags have the largest sample.
            let unit = unit == "dBTP" && !isMeasured ? "dBFS" : unit
            return (name.isEmpty ? "" : name + " ") + "\(value) \(unit)"
        }
        let silence = isMeasured && facts["loudness"] == nil ? ["silent"] : []
        return ([sources[source] ?? source] + silence + values).joined(separator: ", ")
    }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([.init(style: .strong, isFlexible: true), .init(isFlexible: true)])
        for row in rows { table.add([row.song, Self.words(row.facts)]) }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] { rows.map { "\($0.song): \(Self.words($0.facts))" } }

    var json: [JSON] { rows.map { $0.facts.record(.loudness, ("file", $0.song)) } }
}
