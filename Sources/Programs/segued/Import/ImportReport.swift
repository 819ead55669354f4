import ClientVerbs
import CommandOptions
import MPDImport
import TextEncodings

/// The final report of an import.
struct ImportReport {
    /// One line each, for people.
    var remarks: [String]
    /// The last line.
    var summary: String
    var json: JSON

    /// The report of a dry run.
    init(found state: ImportedState, notes: [String], options: ImportOptions) {
        remarks = notes + state.problems
        let counts = Counts(state.queue.count, state.playlists.count, state.stickers.count)
        summary = "would import: \(counts.text)"
        json = .object(
            [JSON.Field("dry_run", .bool(true))] + counts.fields
                + [JSON.Field("problems", .array(state.problems.map(JSON.string)))]
        )
    }

    /// The report of an import.
    init(_ report: TakeoverReport, notes: [String], options: ImportOptions) {
        remarks = notes + report.problems + Self.kept(report)
        if options.verbose {
            remarks += report.missingSongs.map { "not in the music directory: \($0)" }
            remarks += report.lostStickers.map { "not in the music directory: \($0.uri) (sticker \($0.name))" }
        }
        let counts = Counts(report.songs, report.playlists, report.stickers)
        let rest = Self.missing(report)
        let hint = rest.isEmpty || options.verbose ? "" : " (--verbose lists them)"
        summary = "imported: \(counts.text)" + (rest.isEmpty ? "" : "; \(rest)\(hint)")
        json = .object(
            counts.fields + [
                JSON.Field("missing_songs", .array(report.missingSongs.map(JSON.string))),
                JSON.Field("lost_stickers", .integer(report.lostStickers.count)),
                JSON.Field("kept_queue", .bool(report.keptQueue != nil)),
                JSON.Field("kept_playlists", .array(report.keptPlaylists.map(JSON.string))),
                JSON.Field("kept_stickers", .integer(report.keptStickers)),
                JSON.Field("problems", .array(report.problems.map(JSON.string))),
            ]
        )
    }

    private static func kept(_ report: TakeoverReport) -> [String] {
        var lines: [String] = []
        if let count = report.keptQueue {
            lines.append(
                "the queue has \(plural(count, "song")), so it stays, with options, volume and outputs; "
                    + "--replace imports MPD's"
            )
        }
        for name in report.keptPlaylists {
            lines.append("the playlist '\(name)' exists with other songs, and stays; --replace imports MPD's")
        }
        if report.keptStickers > 0 {
            let what = plural(report.keptStickers, "sticker has another value", "stickers have another value")
            lines.append("\(what), and stay\(report.keptStickers == 1 ? "s" : ""); --replace imports MPD's")
        }
        return lines
    }

    private static func missing(_ report: TakeoverReport) -> String {
        var parts: [String] = []
        if !report.missingSongs.isEmpty {
            let what = plural(report.missingSongs.count, "song is", "songs are")
            parts.append("\(what) not in the music directory")
        }
        if !report.lostStickers.isEmpty {
            let what = plural(report.lostStickers.count, "sticker belongs", "stickers belong")
            parts.append("\(what) to songs that do not exist")
        }
        return parts.joined(separator: ", ")
    }
}

private struct Counts {
    var text: String
    var fields: [JSON.Field]

    init(_ songs: Int, _ playlists: Int, _ stickers: Int) {
        text = [plural(songs, "song"), plural(playlists, "playlist"), plural(stickers, "sticker")]
            .joined(separator: ", ")
        fields = [
            JSON.Field("songs", .integer(songs)), JSON.Field("playlists", .integer(playlists)),
            JSON.Field("stickers", .integer(stickers)),
        ]
    }
}

/// A count with its noun.
private func plural(_ count: Int, _ one: String, _ several: String? = nil) -> String {
    "\(count) \(count == 1 ? one : several ?? one + "s")"
}
