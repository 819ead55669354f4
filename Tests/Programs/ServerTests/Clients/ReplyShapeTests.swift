import LineProtocol
import Records
import ServerCommands
import ServerRequests
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// The command table describes every line of every reply.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct ReplyShapeTests {
    /// Requests whose replies have lines, in an order in which they have as many as possible.
    static let lines = [
        "add one.flac", "addid two.flac", "add Blue", "play 0", "crossfade 3", "mixrampdelay 2", "single oneshot",
        "prio 5 1", "status", "currentsong", "playlistinfo", "playlistid", "plchanges 0", "plchangesposid 0",
        "playlist",
        "playlistfind title One", "playlistsearch title One", "stats", "config", "outputs", "listpartitions", "getvol",
        "replay_gain_status", "speed 1.5", "speed", "pitch", "sleep 30m", "sleep", "status", "buffer", "mediaselection",
        "ticket",
        "find title One", "search title o", "list album", "list album group artist group date", "list artist",
        "list file", "count title One", "count group artist", "searchcount title One group album", "lsinfo",
        "lsinfo Blue", "listall", "listallinfo", "listfiles", "listfiles Blue", "readcomments \"Blue/01 So What.flac\"",
        "getfingerprint one.flac", "albumart \"Blue/01 So What.flac\" 0", "readpicture two.flac 0",
        "artwork song two.flac 100 0", "thumbnail one.flac 100 0 0", "lyrics one.flac",
        "identify one.flac nothing.flac",
        "sticker set song one.flac x 1=2", "sticker get song one.flac x", "sticker list song one.flac",
        "sticker find song \"\" x", "sticker set album a x 1", "sticker find album \"\" x", "stickernames",
        "stickernamestypes", "stickertypes", "listmounts", "save mine", "listplaylists", "listplaylist mine",
        "listplaylistinfo mine", "playlistlength mine", "searchplaylist mine \"(title contains 'One')\"", "lsinfo",
        "update", "rescan", "library status", "library problems", "library duplicates", "library loudness one.flac",
        "library media", "session open mine", "session info", "session list", "session hint", "session codes",
        "session players", "session foreign", "session nowplaying", "nowplaying", "session send nowplaying pause",
        "session permission grant uid:77 call", "session permission list", "play", "session interrupt begin call",
        "session list", "session events", "status", "why", "announce one.flac volume 1", "announce none.flac",
        "announcement list", "announcement info 1", "alarm add 07:00 uri one.flac name x", "alarm list", "alarm info 1",
        "alarm addholiday 2026-12-24", "alarm holidays", "schedule add 22:00 name x command ping", "schedule list",
        "schedule info 1",
        "clients set tablet permissions read,add zone default volume 50 songs-per-hour 3 folder Blue until 4000000000",
        "ceiling set default volume 90 speed 2 hours 1:00-2:00 until 4000000000", "ceiling list",
        "clients password tablet", "clients list", "clients show tablet", "audit list", "audit why", "audit doors",
        "picker open limit 2 ordered prompt x", "picker list", "picking list", "picking take p1", "picking items p1",
        "picking selection p1", "picking cancel p1", "picker wait p1", "picker items p1",
        "picker open kind songs limit 2", "picking take p2", "picking items p2", "picking select p2 one.flac",
        "picking selection p2", "picking finish p2", "picker wait p2", "picker items p2",
        "pair status", "pair nonce", "pair request phone", "pairing list", "pairing allow phone", "pair wait",
        "pairing invite radio page http://pi/ permissions read",
        "commands", "notcommands", "urlhandlers", "decoders",
        "tagtypes", "protocol enable hide_playlists_in_root", "protocol", "subscribe x", "channels", "sendmessage x y",
        "readmessages", "route list", "route outputs", "idle playlist",
    ]

    /// Commands that may have no reply here: they need a sound server, a program, lyrics, chapters or a client with fewer
    /// rights.
    private static let unseen: Set = [
        "artwork", "chapters", "getfingerprint", "lyrics", "notcommands", "route", "thumbnail",
    ]

    @Test func everyLineIsDescribed() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        var seen: Set<String> = []
        for line in Self.lines {
            // Only a song that is open has options, and a format.
            if line == "mediaselection" { try wait(for: "the song") { try client.values("status")["audio"] != nil } }
            let request = try RequestLine(parsing: Array(line.utf8))
            let command = try #require(CommandTable.standard[request.command])
            let reply = client.ask(line)
                .filter { $0 != "OK" && !$0.hasPrefix("ACK ") && !$0.hasPrefix("<bytes") }
            let shape = command.reply.shape(request.arguments)
            guard !reply.isEmpty else { continue }
            seen.insert(command.name)
            guard let shape else {
                Issue.record("\(line) is said to have no lines, and has \(reply)")
                continue
            }
            let pairs = reply.map { text -> ReplyLine in
                let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                return (parts[0], parts.count > 1 ? String(parts[1].dropFirst()) : "")
            }
            for key in Set(pairs.map(\.key)) where !shape.describes(key) { Issue.record("\(line): \(key)") }
            let records = shape.records(of: pairs)
            #expect(!records.isEmpty && !records.contains(.object([])), "\(line): \(reply)")
            for record in records { #expect(try JSON(parsing: Array(record.text.utf8)).text == record.text, "\(line)") }
        }
        let described = CommandTable.standard.commands.filter { command in
            ["", "list", "title", "add"].contains { command.reply.shape([$0, "song", ""]) != nil }
        }
        for command in described where !Self.unseen.contains(command.name) {
            #expect(seen.contains(command.name), "no reply of \(command.name) was seen")
        }
    }
}
