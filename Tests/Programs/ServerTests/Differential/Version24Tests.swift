import TestSupport
import TestThreads
import Testing

/// What MPD has since 0.24, and the MPD here has not: checked against what its manual and source say.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct Version24Tests {
    private static let exchanges: [(String, [String])] = [
        ("protocol", ["OK"]), ("protocol available", ["feature: hide_playlists_in_root", "OK"]),
        ("protocol enable hide_playlists_in_root", ["OK"]), ("protocol", ["feature: hide_playlists_in_root", "OK"]),
        ("protocol disable hide_playlists_in_root", ["OK"]), ("protocol all", ["OK"]), ("protocol clear", ["OK"]),
        ("protocol enable other", ["ACK [2@0] {protocol} Unknown protocol feature"]),
        ("tagtypes reset Artist Title", ["OK"]), ("tagtypes", ["tagtype: Artist", "tagtype: Title", "OK"]),
        ("tagtypes all", ["OK"]), ("consume oneshot", ["OK"]), ("consume 0", ["OK"]), ("add Blue", ["OK"]),
        ("add one.flac", ["OK"]), ("save list", ["OK"]), ("save list append", ["OK"]),
        ("playlistlength list", ["songs: 6", "playtime: 180", "OK"]), ("save list replace", ["OK"]),
        ("save list create", ["ACK [56@0] {save} Playlist already exists"]),
        ("save none append", ["ACK [50@0] {save} No such playlist"]),
        ("save list other", ["ACK [2@0] {save} Unrecognized save mode: other"]),
        ("playlistlength list", ["songs: 3", "playtime: 90", "OK"]),
        ("listplaylist list 1:2", ["file: Blue/02 Freddie Freeloader.flac", "OK"]),
        ("listplaylist list 2:", ["file: one.flac", "OK"]), ("playlistmove list 0:2 1", ["OK"]),
        ("listplaylist list 0:1", ["file: one.flac", "OK"]), ("rm list", ["OK"]),
        ("sticker inc song one.flac count 2", ["OK"]), ("sticker inc song one.flac count 3", ["OK"]),
        ("sticker dec song one.flac count 1", ["OK"]), ("sticker get song one.flac count", ["sticker: count=4", "OK"]),
        ("sticker set Album \"Kind of Blue\" rating 5", ["OK"]),
        ("sticker get Album \"Kind of Blue\" rating", ["sticker: rating=5", "OK"]),
        ("sticker find song \"\" count gt 3", ["file: one.flac", "sticker: count=4", "OK"]),
        ("sticker find song \"\" count lt 3", ["OK"]), ("stickernames", ["name: count", "name: rating", "OK"]),
        (
            "stickernamestypes",
            ["name: count", "type: song", "name: rating", "type: Album", "OK"]
        ),
        ("stickernamestypes song", ["name: count", "type: song", "OK"]),
    ]

    @Test func answers() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        #expect(client.greeting == "OK MPD 0.24.0")
        for (line, reply) in Self.exchanges { #expect(client.ask(line) == reply, "\(line)") }
        let types = client.ask("stickertypes")
        #expect(types.contains("stickertype: song") && types.contains("stickertype: playlist"))
        let tags = client.ask("tagtypes available")
        #expect(tags.contains("tagtype: TitleSort") && !tags.contains("tagtype: Comment"))
        let status = try client.values("status")
        #expect(status["lastloadedplaylist"]?.isEmpty == true)
    }
}
