import AudioTypes
import CommandOptions
import ProtocolClient
import Records
import TerminalText
import TextEncodings

/// Songs, folders and playlists, one per line.
struct SongReport: Report {
    /// The blocks of the reply.
    var blocks: [ServerReply]
    var format: SongFormat?
    /// mpc's format for songs here.
    var plainFormat: SongFormat
    /// The queue position of the current song, from 0.
    var current: Int?
    var isPlaying = true
    /// Whether to show paths, which people need for other verbs.
    var showsPaths = true

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
        let table = showsPaths ? pathTable : songTable(isUnicode)
        return table.lines(width: width, ellipsis: isUnicode ? "…" : "...")
    }

    /// A table by path.
    private var pathTable: TextTable {
        var table = TextTable([
            .init(style: .strong, isFlexible: true), .init(isFlexible: true), .init(style: .faint, isFlexible: true),
            .init(isRight: true),
        ])
        for block in blocks {
            let pair = block.pairs[0]
            if let song = RemoteSong(block) {
                let title = song.title == nil ? "" : song.text(.usual)
                table.add([song.uri, title, song.album ?? "", Self.duration(song)])
            } else {
                let isFolder = pair.key == "directory"
                table.add([pair.value + (isFolder ? "/" : ""), isFolder ? "" : "a playlist", "", ""])
            }
        }
        return table
    }

    /// A table in playing order.
    private func songTable(_ isUnicode: Bool) -> TextTable {
        var table = TextTable([
            .init(style: isPlaying ? .good : .attention), .init(isRight: true, style: .faint), .init(isFlexible: true),
            .init(style: .strong, isFlexible: true), .init(style: .faint, isFlexible: true), .init(isRight: true),
        ])
        let mark = isPlaying ? (isUnicode ? "▶" : ">") : isUnicode ? "‖" : "="
        for (index, song) in blocks.compactMap(RemoteSong.init).enumerated() {
            table.add([
                song.position != nil && song.position == current ? mark : "", "\((song.position ?? index) + 1)",
                song.artist ?? "", song.title ?? song["Name"] ?? song.uri, song.title == nil ? "" : song.album ?? "",
                Self.duration(song),
            ])
        }
        return table
    }

    private static func duration(_ song: RemoteSong) -> String {
        song.duration.map { TimeText.clock(MediaTime(seconds: $0)) } ?? ""
    }

    var json: [JSON] { blocks.map { $0.record(.songs) } }
}

extension RemoteSong {
    var json: JSON { reply.record(.songs) }
}
