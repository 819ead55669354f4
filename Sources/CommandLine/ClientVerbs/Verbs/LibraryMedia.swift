import ArgumentParser
import AudioTypes
import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

extension LibraryVerb {
    struct Media: SegueOnlyVerb {
        static let configuration = CommandConfiguration.remote(
            "media",
            "List the pictures and videos of the library, or of a folder of it.",
            "[image|video] [<folder>] [--filter <filter>]",
            parent: "library"
        )
        @OptionGroup(title: "The server") var server: ServerOptions
        @Argument(
            help: ArgumentHelp(
                "'image' or 'video' for these alone, and a folder; none is all of the library.",
                valueName: "folder"
            )
        )
        var words: [String] = []
        @Option(
            help: ArgumentHelp(
                "Those of some kinds alone, such as panoramas or any(bursts,motionPhotos): see segue-picker(7).",
                valueName: "filter"
            )
        )
        var filter: String?

        func validate() throws {
            if words.count > 2 || words.count == 2 && !["image", "video"].contains(words[0]) {
                throw ValidationError("name one folder, such as: segue library media image Holidays")
            }
        }

        func run(on session: Session) throws {
            let reply = try session.connection.run(
                Request("library", ["media"] + words + (filter.map { ["filter", $0] } ?? []))
            )
            session.console.print(MediaReport(reply: reply))
        }
    }
}

/// The output of `segue library media`.
struct MediaReport: Report {
    var reply: ServerReply

    private var media: [ServerReply] { reply.groups(startingWith: "file") }

    /// File, kind, dimensions, date and length.
    private func cells(_ medium: ServerReply) -> [String] {
        let size = medium["width"].flatMap { width in medium["height"].map { "\(width) x \($0)" } }
        let seconds = medium["duration"].flatMap { Double($0) }
        return [
            medium["file"] ?? "", medium["cover"] == "1" ? "cover" : medium["kind"] ?? "", size ?? "",
            medium["captured"] ?? "", seconds.map { TimeText.clock(MediaTime(seconds: $0)) } ?? "",
        ]
    }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        var table = TextTable([
            .init(style: .strong, isFlexible: true), .init(style: .faint), .init(isRight: true), .init(),
            .init(isRight: true),
        ])
        for medium in media {
            var cells = cells(medium)
            // A date without its zone, as people read it.
            cells[3] = String(cells[3].prefix(16).map { $0 == "T" ? " " : $0 })
            table.add(cells)
        }
        if table.isEmpty { return [StyledText("There are no pictures and videos.")] }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var plainLines: [String] { media.map { cells($0).joined(separator: "\t") } }

    var json: [JSON] { media.map { $0.record(.media) } }
}
