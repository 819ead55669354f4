import Foundation
import TestSupport
import TestThreads
import Testing

/// mpc prints and returns the same with segued as with a real MPD.
@Suite(.blocking, .enabled("mpd, mpc or the fixtures' tools are missing") { Tools.missingForMpc.isEmpty })
struct MpcTests {
    /// Every subcommand that needs no index, in the order they are given.
    private static let commands: [[String]] = [
        ["add", "Blue"], ["insert", "one.flac"], ["playlist"], ["play", "2"], ["pause"], ["seek", "5"], ["status"],
        ["seekthrough", "+2"], ["toggle"], ["pause"], ["current"], ["queued"], ["next"], ["pause"], ["prev"], ["pause"],
        ["cdprev"], ["pause"], ["current"], ["volume", "50"], ["volume", "-10"], ["volume"], ["random", "on"],
        ["random", "off"], ["repeat", "on"], ["repeat", "off"], ["single", "once"], ["single", "off"],
        ["consume", "on"],
        ["consume", "off"], ["crossfade", "3"], ["crossfade"], ["mixrampdb", "-5"], ["mixrampdelay", "2"],
        ["replaygain", "album"], ["replaygain"], ["outputs"], ["disable", "1"], ["enable", "only", "1"],
        ["toggleoutput", "2"], ["outputs"], ["outputset", "1", "a=b"], ["ls"], ["ls", "Blue"], ["ls", "none"],
        ["listall"],
        ["listall", "other"], ["-f", "%title% %time%", "ls", "Blue"], ["save", "kept"], ["save", "kept"],
        ["lsplaylists"],
        ["playlist", "kept"], ["load", "kept"], ["load", "none"], ["rm", "kept"], ["rm", "kept"], ["del", "1"],
        ["del", "99"], ["move", "2", "1"], ["prio", "5", "1"], ["-f", "%position% %prio% %title%", "playlist"],
        ["crop"],
        ["playlist"], ["clear"], ["add", "none"], ["channels"], ["sendmessage", "nobody", "text"],
        ["sticker", "one.flac", "set", "rating", "5"], ["sticker", "one.flac", "get", "rating"],
        ["sticker", "one.flac", "list"], ["sticker", "", "find", "rating"],
        ["sticker", "one.flac", "delete", "rating"],
        ["clearerror"], ["stop"], ["status"], ["play", "99"], ["albumart", "Blue/01 So What.flac"],
        ["readpicture", "two.flac"], ["albumart", "one.flac"],
    ]

    /// Playing begins at a moment that neither server decides.
    private static func withoutTimes(_ text: String) -> String {
        text.replacing(/\d+:\d\d\/(\d+:\d\d) \(\d+%\)/) { "\($0.1)" }
    }

    @Test func printsTheSame() async throws {
        let theirs = try await RealMPD.start()
        let ours = try await Segued.start(.mpdConf(""))
        for words in Self.commands {
            let (their, our) = (try await run(words, theirs), try await run(words, ours))
            #expect(Self.withoutTimes(our.outputText) == Self.withoutTimes(their.outputText), "\(words)")
            #expect(our.errorText == their.errorText, "\(words)")
            #expect(our.status == their.status, "\(words)")
        }
    }

    /// What waits: `idle`, `idleloop`, `subscribe` and `waitmessage`.
    @Test func waits() async throws {
        let server = try await Segued.start()
        let client = try server.connect()
        let idle = try ChildProcess("mpc", ["idle", "options"], environment: environment(server))
        let loop = try ChildProcess("mpc", ["idleloop"], environment: environment(server))
        let message = try ChildProcess("mpc", ["waitmessage", "here"], environment: environment(server))
        while try !client.order("channels").contains("channel: here") {
            try client.order("idle subscription")
        }
        try client.order("sendmessage here hello")
        #expect(try await message.wait().outputText == "hello\n")
        // Whether the other two wait already cannot be seen, so it is changed until they have seen it.
        var isOn = false
        while idle.isRunning || !loop.outputText.contains("options\n") {
            isOn.toggle()
            try client.order("repeat \(isOn ? 1 : 0)")
            usleep(2000)
        }
        #expect(try await idle.wait().outputText == "options\n")
        loop.end()
    }

    private func environment(_ server: any TestServer) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": path, "MPD_HOST": server.socket, "LANG": "C.UTF-8"]
    }

    private func run(_ words: [String], _ server: any TestServer) async throws -> ChildProcess.Result {
        try await ChildProcess("mpc", words, environment: environment(server)).wait()
    }
}
