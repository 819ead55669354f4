import TestSupport
import TestThreads
import Testing

/// In a pipe, `segue` prints what mpc prints for the same words.
@Suite(.blocking, .serialized, .enabled("mpd, mpc or ffmpeg is not installed") { MPDServer.missingWithMpc.isEmpty })
struct MpcTests {
    private static let japanese = MPDServer.songs[3].path

    private static let commands: [[String]] = [
        ["status"], ["current"], ["queued"], ["playlist"], ["playlist", "saved"], ["lsplaylists"],
        ["-f", "%position% %title%|%file%", "playlist"], ["-f", "%time% [%album%]", "ls", "Blue"], ["ls"],
        ["ls", "Blue"], ["ls", "Blue", "other"], ["ls", ""], ["listall"], ["listall", "other"],
        ["-f", "%title% %date%", "listall"], ["search", "title", "free"], ["search", "any", "davis", "track", "1"],
        ["find", "artist", "Miles Davis"], ["find", "artist", "miles davis"], ["find", "(title == 'So What')"],
        ["find", "filename", japanese], ["list", "artist"], ["list", "album", "artist", "Miles Davis"],
        ["list", "album", "group", "artist"], ["list", "title", "group", "album", "group", "artist"], ["outputs"],
        ["version"], ["volume"], ["crossfade"], ["replaygain"], ["channels"], ["sticker", japanese, "list"],
        ["sticker", japanese, "get", "rating"], ["sticker", "other", "find", "rating"], ["clearerror", "-q"],
        ["status", "%state% %songpos%/%length% %currenttime%/%totaltime% (%percenttime%) %volume% %random% %repeat%"],
        ["status", "[%single%] %consume% %volume%"], ["enable", "1"], ["-q", "stop"], ["status"], ["current"],
        ["-q", "clear"], ["status"], ["playlist"],
    ]

    @Test func theSameWords() async throws {
        let server = try await MPDServer.start()
        for words in [
            ["add", "Blue", "other"], ["save", "saved"], ["play", "2"], ["pause"], ["seek", "5"], ["volume", "7"],
            ["crossfade", "3"], ["single", "on"], ["sticker", Self.japanese, "set", "rating", "9"],
        ] { _ = try await server.output(words) }
        for words in Self.commands {
            // What changes something is quiet for mpc: ours is, in a pipe.
            let theirs = try await server.mpc(words)
            let ours = try await server.segue(words)
            #expect(ours.outputText == theirs.outputText, "\(words)")
            #expect(ours.status == theirs.status, "\(words)")
        }
    }

    /// What cannot be done fails with status 1, as mpc's does, and says so on standard error only.
    @Test(
        arguments: [
            ["play", "99"], ["del", "99"], ["rm", "none"], ["load", "none"], ["ls", "none"], ["list", "nothing"],
            ["sticker", "none", "get", "x"], ["enable", "9"], ["crop"], ["albumart", "none"],
            ["outputset", "1", "a=b"], ["pause-if-playing"],
        ]
    )
    func theSameFailures(words: [String]) async throws {
        let server = try await MPDServer.start()
        let theirs = try await server.mpc(words)
        let ours = try await server.segue(words)
        #expect(ours.status == .code(1))
        // mpc takes `crop` of a stopped queue for a success that does nothing.
        if words != ["crop"] { #expect(theirs.status != .code(0)) }
        #expect(ours.output.isEmpty)
        if words != ["pause-if-playing"] {
            #expect(ours.errorText.hasPrefix("segue: "))
            #expect(ours.errorText.split(separator: "\n").count == 1)
        }
    }
}
