import Foundation
import Glibc
import TestSupport
import Testing

/// A server of either kind with a folder of its own, which ends with this object.
protocol TestServer: Sendable {
    var socket: String { get }
}

extension TestServer {
    func connect() throws -> LineClient { try LineClient(.unix(socket), of: self) }
}

/// A real MPD.
final class RealMPD: TestServer {
    static let missing = ChildProcess.missing("mpd") + Music.missing

    private let folder: TemporaryFolder
    private let process: ChildProcess

    var socket: String { folder.file("socket") }

    /// - Returns: A server that knows all the music.
    static func start(_ settings: String = "", music: String? = nil) async throws -> RealMPD {
        let songs: String
        if let music { songs = music } else { songs = try await Music.folder() }
        let server = try RealMPD(music: songs, settings)
        try await waitForSocket(server.socket, of: server.process)
        let client = try server.connect()
        try client.order("update")
        while try client.values("status")["updating_db"] != nil { try client.order("idle update") }
        return server
    }

    private init(music: String, _ settings: String) throws {
        folder = try TemporaryFolder()
        let configuration = try folder.write("mpd.conf", configuration(music: music, folder, settings))
        _ = try folder.makeFolder("playlists")
        process = try ChildProcess("mpd", ["--no-daemon", configuration])
    }

    deinit { process.end() }
}

/// An mpd.conf for either server.
func configuration(music: String, _ folder: TemporaryFolder, _ settings: String) -> String {
    """
    music_directory "\(music)"
    playlist_directory "\(folder.file("playlists"))"
    db_file "\(folder.file("database"))"
    sticker_file "\(folder.file("stickers"))"
    log_file "\(folder.file("log"))"
    bind_to_address "\(folder.file("socket"))"
    audio_output {
        type "null"
        name "first"
        mixer_type "software"
    }
    audio_output {
        type "null"
        name "second"
        enabled "no"
    }
    \(settings)

    """
}

/// The server that is tested.
final class Segued: TestServer {
    let folder: TemporaryFolder
    let process: ChildProcess

    deinit { if let crash = process.endNotingCrash() { Issue.record("\(crash)") } }

    var socket: String { folder.file("socket") }
    var stateFolder: String { folder.file("state") }

    /// How the daemon is started.
    enum Form: Sendable {
        /// From the same configuration as a real MPD.
        case mpdConf(String)
        /// With options; the socket, the music, the state and a null output are there already.
        case options([String])
        /// From a configuration of its own, below which a state folder, the music and the socket are added.
        case toml(String)
    }

    /// - Parameters:
    ///   - folder: That of an earlier server, whose state is to be taken up.
    ///   - mounting: Shell commands that mount what only this server is to see.
    ///   - user: Whom it runs as where the tests run as root.
    ///   - network: Where it runs, if not on this machine's own network; only root can have it elsewhere.
    static func start(
        _ form: Form = .options([]),
        in folder: TemporaryFolder? = nil,
        music: String? = nil,
        environment: [String: String] = [:],
        descriptors: Int? = nil,
        mounting: String? = nil,
        user: UInt32? = nil,
        network: NetworkNamespace? = nil,
        waitsForLibrary: Bool = true
    ) async throws -> Segued {
        let place = try folder ?? TemporaryFolder()
        let songs: String
        if let music { songs = music } else { songs = try await Music.folder() }
        let server = try Segued(
            form,
            place,
            music: songs,
            environment,
            descriptors,
            mounting: mounting,
            user: user,
            network: network
        )
        try await waitForSocket(server.socket, of: server.process)
        if waitsForLibrary { try await server.waitForUpdates() }
        return server
    }

    init(
        _ form: Form,
        _ folder: TemporaryFolder,
        music: String,
        _ environment: [String: String] = [:],
        _ descriptors: Int? = nil,
        mounting: String? = nil,
        user: UInt32? = nil,
        network: NetworkNamespace? = nil
    ) throws {
        self.folder = folder
        // A lock and a socket that another one left are of no concern.
        let state = folder.file("state")
        var arguments: [String]
        switch form {
        case .mpdConf(let settings):
            let text = configuration(music: music, folder, settings)
            arguments = ["--mpd-conf", try folder.write("mpd.conf", text), "--state-dir", state]
            arguments += ["--web-listen", "none"]
            _ = try folder.makeFolder("playlists")
        case .options(let more):
            arguments = ["--music-dir", music, "--state-dir", state, "--playlist-dir", folder.file("playlists")]
            arguments += ["--listen", "unix:\(folder.file("socket"))"] + more
            if !more.contains("--output") { arguments += ["--output", "null"] }
        case .toml(let text):
            let place = try folder.write("segued.toml", text)
            arguments = ["--config", place, "--music-dir", music, "--state-dir", state]
            if !text.contains("[web]") { arguments += ["--web-listen", "none"] }
        }
        var command = try Self.path()
        if let user, getuid() == 0 {
            guard unsafe chown(folder.path, user, user) == 0 else { throw ClientError(description: "cannot chown") }
            arguments = ["--reuid=\(user)", "--regid=\(user)", "--clear-groups", command] + arguments
            command = "setpriv"
        }
        if let descriptors {
            arguments = ["--nofile=\(descriptors)", command] + arguments
            command = "prlimit"
        }
        if let mounting {
            arguments = MountNamespace.options + ["sh", "-c", "\(mounting) && exec \"$@\"", "sh", command] + arguments
            command = "unshare"
        }
        if let network {
            let words = network.command([command] + arguments)
            (command, arguments) = (words[0], Array(words.dropFirst()))
        }
        let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
        let plain = ["PATH": path, "HOME": folder.path, "LANG": "C.UTF-8", "TZ": "UTC", "SWIFT_BACKTRACE": "enable=no"]
        process = try ChildProcess(command, arguments, environment: plain.merging(environment) { $1 })
    }

    /// Waits until its library is up to date; a server that lets no client ask is not waited for.
    func waitForUpdates() async throws {
        guard let client = try? connect() else { return }
        while client.ask("status").contains(where: { $0.hasPrefix("updating_db") }) { try client.order("idle update") }
    }

    /// Ends it as systemd would, and waits until it is gone.
    func stop() async throws {
        process.kill(SIGTERM)
        _ = try await process.wait()
    }

    /// Where the package's own programs are: beside the tests.
    static func path() throws -> String {
        let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "segued").path
        guard FileManager.default.isExecutableFile(atPath: path) else {
            throw ClientError(description: "\(path) is not there (build the product 'segued' first)")
        }
        return path
    }
}
