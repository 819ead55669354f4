import Foundation
import ProtocolClient
import TestSupport

/// A real MPD with a socket, a music folder and state of its own; it plays to nowhere.
final class MPDServer: Sendable {
    /// What has to be installed.
    static let missing = ChildProcess.missing("mpd", "ffmpeg")
    static let missingWithMpc = missing + ChildProcess.missing("mpc")

    let folder: TemporaryFolder
    let process: ChildProcess

    var socket: String { folder.file("socket") }

    /// The songs that every server has: path, tags, seconds of sound.
    static let songs: [(path: String, tags: [String: String], seconds: Double)] = [
        (
            "Blue/01 So What.flac",
            [
                "title": "So What", "artist": "Miles Davis", "album": "Kind of Blue", "track": "1", "date": "1959",
                "genre": "Jazz", "album_artist": "Miles Davis",
            ], 30
        ),
        (
            "Blue/02 Freddie Freeloader.flac",
            ["title": "Freddie Freeloader", "artist": "Miles Davis", "album": "Kind of Blue", "track": "2"], 20
        ),
        ("other/untagged.wav", [:], 5),
        ("other/日本 \"q\" \\.flac", ["title": "東京ナイト", "composer": "Ängström & Co", "album": "世界"], 10),
    ]

    /// Starts a server and returns when it answers and knows the songs.
    ///
    /// - Parameter settings: More lines for mpd.conf.
    static func start(_ settings: String = "") async throws -> MPDServer {
        let server = try await MPDServer(settings)
        try await waitForSocket(server.socket, of: server.process)
        let connection = try server.connect()
        try connection.run("update")
        while ServerStatus(try connection.run("status")).updateJob != nil { _ = try connection.idle(["update"]) }
        return server
    }

    private init(_ settings: String) async throws {
        folder = try TemporaryFolder()
        let place = folder.path
        for song in Self.songs {
            let codec: MediaFixtures.Codec = song.path.hasSuffix(".wav") ? .wav : .flac
            let name = "remote\(song.path.hashValue)"
            let source = try await MediaFixtures.audio(name, codec, tags: song.tags) {
                Signal.tone(440, seconds: song.seconds, sampleRate: 44_100)
            }
            let target = "\(place)/music/\(song.path)"
            let parent = (target as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: source, toPath: target)
        }
        try FileManager.default.createDirectory(atPath: "\(place)/playlists", withIntermediateDirectories: true)
        let configuration = try folder.write(
            "mpd.conf",
            """
            music_directory "\(place)/music"
            playlist_directory "\(place)/playlists"
            db_file "\(place)/database"
            sticker_file "\(place)/stickers"
            state_file "\(place)/state"
            log_file "\(place)/log"
            bind_to_address "\(place)/socket"
            audio_output {
                type "null"
                name "first out"
                mixer_type "software"
            }
            audio_output {
                type "null"
                name "second"
                enabled "no"
            }
            \(settings)

            """
        )
        process = try ChildProcess("mpd", ["--no-daemon", configuration])
    }

    deinit { process.end() }

    func connect() throws -> RemoteConnection {
        try RemoteConnection.open(ServerChoice(addresses: [.socket(path: socket)], origin: .option))
    }

    // MARK: Programs

    /// Runs `segue` with this server as its own, and waits for its end.
    func segue(_ words: [String], input: ChildProcess.Input = .nothing) async throws -> ChildProcess.Result {
        try await Segue.run(words, environment: ["MPD_HOST": socket], input: input)
    }

    func segue(_ words: String...) async throws -> ChildProcess.Result { try await segue(words) }

    /// What `segue` prints; it must succeed.
    func output(_ words: [String]) async throws -> String {
        let result = try await segue(words)
        guard result.status == .code(0) else {
            throw ChildProcessError.failed(words.joined(separator: " "), result.status, errors: result.errorText)
        }
        return result.outputText
    }

    func output(_ words: String...) async throws -> String { try await output(words) }

    func mpc(_ words: [String]) async throws -> ChildProcess.Result {
        let environment = Segue.environment(["MPD_HOST": socket])
        return try await ChildProcess("mpc", words, environment: environment).wait()
    }
}

/// The built program.
enum Segue {
    static func path() throws -> String {
        let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "segue").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ChildProcessError.cannotStart("\(path) (build the product 'segue' first)", ENOENT)
        }
        return path
    }

    /// Nothing of the test's own environment that could choose a server or a form.
    static func environment(_ more: [String: String] = [:]) -> [String: String] {
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        return ["PATH": path, "HOME": "/proc/nonexistent", "LANG": "C.UTF-8", "TZ": "UTC"].merging(more) { $1 }
    }

    static func run(
        _ words: [String],
        environment: [String: String] = [:],
        input: ChildProcess.Input = .nothing
    ) async throws -> ChildProcess.Result {
        try await ChildProcess(try path(), words, environment: Self.environment(environment), input: input).wait()
    }
}
