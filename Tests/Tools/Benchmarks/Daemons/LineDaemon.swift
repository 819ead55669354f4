private import Glibc
import TestSupport

/// A server that speaks MPD's protocol, with a folder of its own, at a Unix socket.
final class LineDaemon: Sendable {
    /// Which server.
    enum Kind: String, CaseIterable, Sendable {
        case segued
        case mpd

        var isInstalled: Bool { self == .segued || ChildProcess.find(rawValue) != nil }

        static var installed: [Kind] { allCases.filter(\.isInstalled) }
    }

    let kind: Kind
    let socket: String
    /// Where segued answers by HTTP: a socket, and a port of 127.0.0.1.
    let webSocket: String
    let webPort: UInt16
    let process: ChildProcess
    private let folder: TemporaryFolder
    private let music: String
    private let sound: (any SoundServer)?
    private let bus: MessageBus?

    /// Starts one that plays to a null output, or on a sound server.
    ///
    /// - Parameters:
    ///   - music: Its music directory; an empty one of its own unless given.
    ///   - bus: The message bus that it finds, if any.
    ///   - port: Where it streams MP3 of 128 kbit/s by HTTP, in place of another output.
    convenience init(
        _ kind: Kind,
        music: String? = nil,
        on sound: (any SoundServer)? = nil,
        bus: MessageBus? = nil,
        streamingAt port: UInt16? = nil
    ) async throws {
        let folder = try TemporaryFolder()
        let music = try music ?? folder.makeFolder("music")
        try await self.init(kind, folder, music: music, on: sound, bus: bus, streamingAt: port)
    }

    private init(
        _ kind: Kind,
        _ folder: TemporaryFolder,
        music: String,
        on sound: (any SoundServer)?,
        bus: MessageBus?,
        streamingAt port: UInt16? = nil
    ) async throws {
        self.kind = kind
        self.folder = folder
        self.music = music
        self.sound = sound
        self.bus = bus
        socket = folder.file("socket")
        webSocket = folder.file("web")
        webPort = try steadyPort()
        process = try Self.start(kind, folder, music, sound, bus, port, webPort)
        try await waitForSocket(socket, of: process)
    }

    deinit { process.end() }

    /// Ends it with its state saved and starts another one in its place.
    ///
    /// - Returns: That, and when it was started.
    func restarted() async throws -> (daemon: LineDaemon, start: ContinuousClock.Instant) {
        process.kill(15)
        _ = try await process.wait()
        let start = ContinuousClock.now
        return (try await LineDaemon(kind, folder, music: music, on: sound, bus: bus), start)
    }

    private static func start(
        _ kind: Kind,
        _ folder: TemporaryFolder,
        _ music: String,
        _ sound: (any SoundServer)?,
        _ bus: MessageBus?,
        _ port: UInt16?,
        _ webPort: UInt16
    ) throws -> ChildProcess {
        var environment = sound?.clientEnvironment ?? ["PATH": "/usr/bin:/bin", "HOME": folder.path]
        if let bus { environment.merge(bus.environment) { $1 } }
        switch kind {
        case .segued:
            let stream = port.map { seguedStream($0) } ?? ""
            let web = "[web]\nlisten = [\"unix:\(folder.file("web"))\", \"tcp:127.0.0.1:\(webPort)\"]\n"
            let configuration = try folder.write("segued.toml", seguedConfiguration + web + stream)
            let output = port == nil ? ["--output", sound == nil ? "null" : "pulse"] : []
            let words = [
                "--config", configuration, "--music-dir", music, "--state-dir", folder.file("state"),
                "--listen", "unix:\(folder.file("socket"))",
            ]
            return try ChildProcess("\(Bench.folder)/segued", words + output, environment: environment)
        case .mpd:
            let configuration = try folder.write("mpd.conf", mpdConfiguration(folder, music, sound, port))
            return try ChildProcess("mpd", ["--no-daemon", configuration], environment: environment)
        }
    }

    private static let seguedConfiguration = """
        [limits]
        max-connections = 2000
        max-local-connections = 2000
        connection-timeout = "never"

        """

    private static func seguedStream(_ port: UInt16) -> String {
        """

        [[output]]
        name = "bench"
        type = "httpd"
        encoder = "mp3"
        bitrate = 128
        port = \(port)
        max-clients = 2000

        """
    }

    private static func mpdOutput(_ sound: (any SoundServer)?, _ port: UInt16?) -> String {
        if let port { return "type \"httpd\"\nencoder \"lame\"\nbitrate \"128\"\nport \"\(port)\"" }
        return sound.map { "type \"pulse\"\nserver \"\($0.address)\"\nsink \"\($0.sink.name)\"" } ?? "type \"null\""
    }

    private static func mpdConfiguration(
        _ folder: TemporaryFolder,
        _ music: String,
        _ sound: (any SoundServer)?,
        _ port: UInt16?
    ) -> String {
        """
        music_directory "\(music)"
        db_file "\(folder.file("database"))"
        state_file "\(folder.file("state"))"
        bind_to_address "\(folder.file("socket"))"
        log_file "\(folder.file("log"))"
        connection_timeout "100000"
        max_connections "2000"
        max_playlist_length "200000"
        max_output_buffer_size "131072"
        audio_output {
            name "bench"
            \(mpdOutput(sound, port))
        }

        """
    }

    /// What its database takes on the disk, in bytes.
    var databaseSize: Int {
        let names = kind == .mpd ? ["database"] : ["state/library.db", "state/library.db-wal"]
        return names.reduce(0) { sum, name in
            var status = stat()
            return unsafe stat(folder.file(name), &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }

    // MARK: What is asked of it

    func client() throws -> RawClient { try RawClient(socket) }

    /// Waits until all music is in the database; Segue's daemon takes it up by itself.
    func update() async throws {
        let client = try client()
        if kind == .mpd { try client.command("update") }
        while try client.answer("status").contains("updating_db") { try await Moments.sleep(0.1) }
    }

    /// Waits until it uses no processor time any more.
    func settle() async throws {
        var spent = -1.0
        while process.cpuSeconds - spent > 0.002 {
            spent = process.cpuSeconds
            try await Moments.sleep(0.5)
        }
    }
}
