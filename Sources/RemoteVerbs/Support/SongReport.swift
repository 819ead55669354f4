import AudioTypes
import RemoteControl
import TerminalText
import Verbs

/// Songs, folders and playlists, one per line.
struct SongReport: Report {
    /// The blocks of a listing.
    var blocks: [ServerReply]
    var format: SongFormat?
    /// What mpc writes of songs here.
    var plainFormat: SongFormat
    /// The queue's place of the song that is played, from 0.
    var current: Int?
    var isPlaying = true

    static let plainFile = SongFormat("%file%")

    init(_ reply: ServerReply, format: SongFormat?, plainFormat: SongFormat = SongReport.plainFile) {
        blocks = reply.groups(startingWith: ["file", "directory", "playlist"])
        self.format = format
        self.plainFormat = plainFormat
    }

    var plainLines: [String] {
        let format = format ?? plainFormat
        return blocks.map { block in RemoteSong(block)?.text(format) ?? block.pairs[0].value }
    }

    func lines(width: Int, isUnicode: Bool) -> [StyledText] {
        if format != nil { return plainLines.map { StyledText(DisplayText.harmless($0)) } }
        let songs = blocks.compactMap(RemoteSong.init)
        let inQueue = songs.contains { $0.position != nil }
        var table = TextTable([
            .init(style: .good), .init(isRight: true, style: .faint), .init(isFlexible: true),
            .init(style: .strong, isFlexible: true), .init(style: .faint, isFlexible: true), .init(isRight: true),
        ])
        for block in blocks {
            guard let song = RemoteSong(block) else {
                let pair = block.pairs[0]
                table.add(["", "", "", pair.value + (pair.key == "directory" ? "/" : ""), pair.key, ""])
                continue
            }
            let isCurrent = song.position != nil && song.position == current
            table.add(
                [
                    isCurrent ? (isPlaying ? (isUnicode ? "▶" : ">") : isUnicode ? "‖" : "=") : "",
                    inQueue ? song.position.map { String($0 + 1) } ?? "" : "",
                    song.artist ?? "", song.title ?? song["Name"] ?? song.uri,
                    song.title == nil ? "" : song.album ?? "",
                    song.duration.map { TimeText.clock(MediaTime(seconds: $0)) } ?? "",
                ],
                nil
            )
        }
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    var json: [JSON] {
        blocks.map { block in
            if let song = RemoteSong(block) { return song.json }
            let pair = block.pairs[0]
            return .compact([
                .init(pair.key, .string(pair.value)),
                .init("last_modified", .optional(block["Last-Modified"])),
            ])
        }
    }
}

extension RemoteSong {
    /// What is no tag, and so is a field of its own.
    private static let facts: Set<String> = [
        "Range", "Last-Modified", "Added", "Format", "Time", "duration", "Pos", "Id", "Prio",
    ]

    var json: JSON {
        var names: [String] = []
        var values: [String: [JSON]] = [:]
        for pair in pairs where !Self.facts.contains(pair.key) {
            let name = pair.key.lowercased()
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(.string(pair.value))
        }
        return .compact([
            .init("file", .string(uri)),
            .init("position", .optional(position.map { $0 + 1 })),
            .init("id", .optional(id)),
            .init("priority", .optional(priority)),
            .init("title", .optional(title)),
            .init("artist", .optional(artist)),
            .init("album", .optional(album)),
            .init("duration", .seconds(duration)),
            .init("range", .optional(self["Range"])),
            .init("format", .optional(self["Format"])),
            .init("last_modified", .optional(self["Last-Modified"])),
            .init("added", .optional(self["Added"])),
            .init("tags", names.isEmpty ? .null : .object(names.map { .init($0, .array(values[$0] ?? [])) })),
        ])
    }
}
