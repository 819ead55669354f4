/// Where segued means to answer otherwise than MPD 0.23: which exchanges, and what is the same nevertheless.
struct Difference: Sendable {
    let reason: String
    /// The beginnings of what was said.
    let lines: [String]
    /// Makes replies of both servers the same, where they differ for this reason alone.
    let level: @Sendable ([String]) -> [String]

    static let all: [Difference] = [
        Difference("what time does", ["status", "stats"]) { reply in
            let keys = ["elapsed", "time", "bitrate", "uptime", "playtime"]
            return reply.map { line in keys.first { line.hasPrefix($0 + ": ") } ?? line }
        },
        // 0.24 tells it without the zeros.
        Difference("a number written shorter", ["status", "oklist: status"]) { reply in
            reply.map { $0.replacing(/^mixrampdb: (-?\d+)\.0+$/) { "mixrampdb: \($0.1)" } }
        },
        Difference("keys that came with 0.24", ["status", "oklist: status"], dropping: ["lastloadedplaylist: "]),
        Difference(
            "tags that came with 0.24",
            ["tagtypes"],
            dropping: [
                "tagtype: TitleSort", "tagtype: Mood", "tagtype: ShowMovement", "tagtype: MUSICBRAINZ_RELEASEGROUPID",
            ]
        ),
        Difference("a configuration's other keys: 0.24", ["config"], dropping: ["playlist_directory: ", "pcre: "]),
        // MPD's own fingerprints are not ours.
        Difference("commands of 0.24, and of ours", ["commands"]) { reply in
            let others = [
                "alarm", "announce", "announcement", "artwork", "buffer", "ceiling", "chapters", "clients", "ticket",
                "pair",
                "pairing", "audit", "picker", "picking",
                "identify", "library", "lyrics",
                "mediaselection", "schedule", "json", "watch", "unwatch",
                "nowplaying", "pitch", "selectmedia",
                "playlistlength",
                "protocol",
                "route", "session", "sleep", "speed", "thumbnail", "why", "zone", "searchplaylist", "searchcount",
                "stickernames",
                "stickertypes", "stickernamestypes", "getfingerprint", "listneighbors",
            ]
            return reply.filter { line in !others.contains { line == "command: \($0)" } }
        },
        Difference("what is linked in", ["urlhandlers", "decoders"]) { reply in reply.suffix(1) },
        Difference("when the database was made", ["stats"]) { reply in
            reply.map { $0.hasPrefix("db_update: ") ? "db_update" : $0 }
        },
        Difference("when a song came into the library: 0.24", [""], dropping: ["Added: "]),
        // MPD 0.23 forgets it where it sorts.
        Difference("the format of sorted songs", ["find", "search"]) { reply in
            reply.filter { !$0.hasPrefix("Format: ") }
        },
        Difference("operators that came with 0.24", ["find \"(title !~", "find \"(title starts_with"]) { _ in [] },
        Difference("what is listed is sorted", ["list file"]) { reply in reply.sorted() },
        // MPD tells those of CUE sheets and of ID3 in an order of its readers' own.
        Difference("the order of tags", ["find", "search"]) { reply in
            blocks(reply).flatMap { $0.prefix(1) + $0.dropFirst().sorted() }
        },
        Difference("save has a mode in 0.24, so it is too few rather than wrong", ["save"]) { reply in
            reply.map { $0.replacing("too few arguments", with: "wrong number of arguments") }
        },
        // Segue names the bound, MPD only the number.
        Difference("the bounds of numbers", [""]) { reply in
            reply.map { $0.replacing(/\ \(it is from .*\)$/, with: "") }
        },
        Difference("where a range of a song may start", ["rangeid $1 90:95"], onlyCodes: true),
        Difference("consume knows oneshot in 0.24", ["consume x"], onlyCodes: true),
        Difference("MPD lists files as they lie on the disk", ["listfiles", "listplaylists", "oklist: lsinfo"]) {
            reply in
            blocks(reply).sorted { $0.joined() < $1.joined() }.flatMap(\.self)
        },
        Difference("the time a playlist was written", ["listplaylists", "oklist: lsinfo"]) { reply in
            var isPlaylist = false
            return reply.map { line in
                if !line.hasPrefix("Last-Modified") { isPlaylist = line.hasPrefix("playlist: ") }
                return isPlaylist && line.hasPrefix("Last-Modified") ? "Last-Modified" : line
            }
        },
        // Nor does segued tell where the music directory is.
        Difference("why a file elsewhere is not added", ["add /etc", "addid file:///etc"], onlyCodes: true),
        Difference("nothing is mounted", ["mount ", "unmount "], onlyCodes: true),
        Difference("the path of what is no directory", ["listfiles"], onlyCodes: true),
        Difference("the network is not listed", ["lsinfo http"]) { _ in [] },
        Difference("what is no song is none, wherever it is", ["readcomments /etc"], onlyCodes: true),
        Difference("an output that was moved leaves none behind", ["2: outputs"]) { reply in
            blocks(reply).filter { !$0.contains("plugin: dummy") }.flatMap(\.self)
        },
    ]

    private init(_ reason: String, _ lines: [String], _ level: @escaping @Sendable ([String]) -> [String]) {
        self.reason = reason
        self.lines = lines
        self.level = level
    }

    private init(_ reason: String, _ lines: [String], dropping keys: [String]) {
        self.init(reason, lines) { reply in reply.filter { line in !keys.contains { line.hasPrefix($0) } } }
    }

    private init(_ reason: String, _ lines: [String], onlyCodes: Bool) {
        self.init(reason, lines) { reply in reply.map { $0.replacing(/^(ACK \[\d+@\d+\] {\w*}).*/) { "\($0.1)" } } }
    }

    /// A reply without what is meant to differ.
    static func levelled(_ exchange: SessionRun.Exchange) -> [String] {
        all.filter { difference in difference.lines.contains { exchange.line.hasPrefix($0) } }
            .reduce(exchange.reply) { $1.level($0) }
    }
}

/// A reply in pieces, one for each thing it lists.
private func blocks(_ reply: [String]) -> [[String]] {
    var blocks: [[String]] = []
    for line in reply {
        let begins = ["file: ", "directory: ", "playlist: ", "outputid: ", "OK", "ACK", "list_OK"].contains(
            where: line.hasPrefix
        )
        if begins || blocks.isEmpty { blocks.append([]) }
        blocks[blocks.count - 1].append(line)
    }
    return blocks
}
