import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Files outside of the music directory, for local users who do not run the server.
@Suite(
    .blocking,
    .enabled("the fixtures' tools are missing, or not root, who alone can be two users") {
        Music.missing.isEmpty && getuid() == 0
    }
)
struct PublicFileTests {
    private static let (daemon, bob): (UInt32, UInt32) = (61_234, 61_235)

    private let place: TemporaryFolder
    /// The server's, with what only its user may read, and what all may read.
    private let files: String

    init() async throws {
        place = try TemporaryFolder()
        files = try place.makeFolder("files")
        let song = try await Music.folder() + "/one.flac"
        for folder in ["", "/hidden"] {
            for name in ["song.flac", "secret.flac"] {
                try FileManager.default.createDirectory(atPath: files + folder, withIntermediateDirectories: true)
                try FileManager.default.copyItem(atPath: song, toPath: "\(files)\(folder)/\(name)")
            }
        }
        try place.write("files/list.m3u", "secret.flac\nsong.flac\n")
        for (link, target) in [
            ("link.flac", "song.flac"), ("to-secret.flac", "secret.flac"), ("to-hidden.flac", "hidden/song.flac"),
            ("hidden/out.flac", "../song.flac"), ("through.flac", "hidden/out.flac"), ("out", "hidden"),
            ("up.flac", "/proc/self/cwd/song.flac"),
        ] { try #require(unsafe symlink(target, "\(files)/\(link)") == 0) }
        try #require(unsafe mkfifo(files + "/pipe.flac", 0o666) == 0 && chmod(files + "/pipe.flac", 0o666) == 0)
        for (name, mode) in [("song.flac", 0o644), ("secret.flac", 0o640), ("hidden", 0o750)] as [(String, UInt32)] {
            let path = "\(files)/\(name)"
            try #require(unsafe chown(path, Self.daemon, Self.daemon) == 0 && chmod(path, mode) == 0)
        }
    }

    private func start() async throws -> Segued {
        let server = try await Segued.start(in: place, user: Self.daemon)
        try #require(unsafe chmod(server.socket, 0o666) == 0)
        return server
    }

    private func connect(_ server: Segued) throws -> LineClient {
        try LineClient(.unix(server.socket), as: Self.bob, of: server)
    }

    /// Exchanges a file for a link.
    private func exchange(_ name: String, forLinkTo target: String) throws {
        let path = "\(files)/\(name)"
        try #require(unsafe unlink(path) == 0 && symlink(target, path) == 0)
    }

    /// Plays an entry, and waits until it is known whether it can be played.
    ///
    /// - Returns: The error; `nil` for one that is played.
    private func play(_ position: Int, _ client: LineClient) throws -> String? {
        try client.order("stop")
        try client.order("clearerror")
        try client.order("play \(position)")
        var status: [String: String] = [:]
        try wait(for: "the song") {
            status = try client.values("status")
            return status["error"] != nil || status["audio"] != nil
        }
        return status["error"]
    }

    @Test func whatAllMayReadIsAddedAndPlayed() async throws {
        let server = try await start()
        let client = try connect(server)
        #expect(try client.order("urlhandlers").contains("handler: file://"))
        for name in ["song.flac", "link.flac", "./../files//song.flac"] {
            for (command, prefix) in [("add", ""), ("addid", "file://"), ("lsinfo", "")] {
                let found = client.ask("\(command) \(prefix)\(files)/\(name)")
                #expect(found.last == "OK", "\(command) \(name): \(found)")
                if command == "lsinfo" { #expect(found.contains("Title: One"), "\(found)") }
            }
        }
        let entries = try client.order("playlistinfo")
        #expect(entries.filter { $0 == "Title: One" }.count == 6)
        #expect(entries.filter { $0 == "AddedBy: uid \(Self.bob)" }.count == 6)
        #expect(entries.contains("file: \(files)/song.flac") && entries.contains { $0.hasPrefix("duration: 40") })
        #expect(try play(0, client) == nil)
        #expect(try client.values("status")["audio"]?.hasPrefix("44100:16:") == true)
    }

    /// `segue add` names a file of this machine by its whole path.
    @Test func segueTellsWhichFilesAreAdded() async throws {
        let server = try await start()
        let segue = try Segued.path().replacing(/segued$/, with: "segue")
        func add(_ name: String) async throws -> ChildProcess.Result {
            let user = ["--reuid=\(Self.bob)", "--regid=\(Self.bob)", "--clear-groups"]
            let environment = ["MPD_HOST": server.socket, "LANG": "C.UTF-8"]
            let words = user + [segue, "add", "\(files)/\(name)"]
            return try await ChildProcess("setpriv", words, environment: environment).wait()
        }
        #expect(try await add("song.flac").status == .code(0))
        let refused = try await add("secret.flac")
        #expect(refused.status == .code(1))
        let reason = "not in the server's library, and not a file that everybody may read"
        #expect(refused.errorText == "segue: \(files)/secret.flac: \(reason)\n")
    }

    /// Every way to name a file, for what is hidden, what is no file, and what the system makes up.
    @Test func theRestIsLikeWhatIsAbsent() async throws {
        let server = try await start()
        let client = try connect(server)
        let pid = server.process.pid
        let others = [
            "secret.flac", "hidden", "hidden/song.flac", "hidden/none.flac", "hidden/../song.flac", "hidden/../none",
            "none/../song.flac", "to-secret.flac", "to-hidden.flac", "through.flac", "out", "out/song.flac", "out/none",
            "up.flac", "pipe.flac", "song.flac/", "song.flac/x", "../socket", "",
        ]
        let systems = [
            "/proc/self/environ", "/proc/self/fd/0", "/proc/self/fd/3", "/proc/self/fd/9", "/proc/\(pid)/fd/3",
            "/proc/self/root\(files)/song.flac", "/proc/version", "/dev/zero", "/dev/fd/0", "/dev/null",
            "/sys/kernel/uevent_seqnum", "/etc/shadow",
        ]
        for command in [
            "add \"%\"", "addid \"file://%\"", "add \"%\" 0", "lsinfo \"%\"", "playlistadd mine \"%\"",
        ] {
            func answer(_ path: String) -> [String] { client.ask(command.replacing("%", with: path)) }
            let absent = answer(files + "/none.flac")
            #expect(absent.count == 1 && absent[0].hasPrefix("ACK [50@0]"), "\(absent)")
            for path in others.map({ "\(files)/\($0)" }) + systems {
                #expect(answer(path) == absent, "\(command) \(path)")
            }
        }
        // Playlists and folders are for the user who runs the server; others learn only that they are no songs.
        #expect(client.ask("add \(files)/list.m3u")[0].hasSuffix("list.m3u: not a media file that can be played"))
        for line in [
            "readcomments %", "readpicture % 0", "albumart % 0", "artwork song % 100 0", "lyrics %", "announce %",
        ] {
            let answers = ["secret.flac", "none.flac", "hidden/song.flac"].map {
                client.ask(line.replacing("%", with: "\(files)/\($0)"))
            }
            #expect(Set(answers).count == 1 && answers[0].last?.hasPrefix("ACK") == true, "\(line): \(answers)")
        }
        #expect(try client.values("status")["playlistlength"] == "0")
        // The server's own user may name what it can read.
        let owner = try server.connect()
        for name in ["secret.flac", "hidden/song.flac"] { try owner.order("add \(files)/\(name)") }
        try owner.order("lsinfo \(files)/secret.flac")
        #expect(try play(0, owner) == nil)
        #expect(try !owner.order("playlistinfo").contains { $0.hasPrefix("AddedBy") })
    }

    /// It is read as at the beginning, by whatever way it came into the queue, and after a restart.
    @Test func whatIsExchangedLaterIsNotRead() async throws {
        var server = try await start()
        var client = try connect(server)
        try client.order("add \(files)/song.flac")
        try client.order("save mine")
        try client.order("load mine")
        try server.connect().order("load mine")
        #expect(try client.values("status")["playlistlength"] == "3")
        let absent = "\(files)/song.flac: No such file or directory"
        try FileManager.default.moveItem(atPath: files + "/song.flac", toPath: files + "/kept.flac")
        for position in 0..<3 { #expect(try play(position, client) == absent) }
        try place.write("files/song.flac", "")
        for target in ["secret.flac", "hidden/song.flac", "/dev/zero", "pipe.flac", "/proc/self/fd/3"] {
            try exchange("song.flac", forLinkTo: target)
            for position in 0..<3 { #expect(try play(position, client) == absent, "\(target)") }
            #expect(client.ask("load mine") == ["OK"])
        }
        #expect(try client.values("status")["playlistlength"] == "3", "a list has for others what they may read")
        try await server.stop()
        server = try await start()
        client = try connect(server)
        #expect(try client.order("playlistinfo").filter { $0 == "AddedBy: uid \(Self.bob)" }.count == 2)
        try exchange("song.flac", forLinkTo: "secret.flac")
        for position in 0..<3 { #expect(try play(position, client) == absent) }
        try exchange("song.flac", forLinkTo: "kept.flac")
        for position in 0..<3 { #expect(try play(position, client) == nil) }
    }

    /// Clients that may not add, that come by the network, or that see a part of the library only, get no files.
    @Test func othersAreDenied() async throws {
        let server = try await start()
        let (owner, client) = (try server.connect(), try connect(server))
        let denied = "ACK [4@0] {add} Access denied"
        try owner.order("clients set \"uid \(Self.bob)\" permissions read,player")
        #expect(client.ask("add \(files)/song.flac")[0].hasPrefix("ACK [4@0] {add} you don't have permission"))
        try owner.order("clients set \"uid \(Self.bob)\" permissions read,add folder Blue")
        #expect(client.ask("add file://\(files)/song.flac") == [denied])
        #expect(try !client.order("urlhandlers").contains("handler: file://"))
    }
}
