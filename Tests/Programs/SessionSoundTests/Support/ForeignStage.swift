import AudioTypes
import Foundation
import Glibc
import Synchronization
import TestSupport
import Testing

/// A real sound server that remembers volumes, a segued that watches its streams, and programs that play to it.
final class ForeignStage: Sendable {
    let sound: any SoundServer
    let folder: TemporaryFolder
    let bus: MessageBus?
    private let process: Mutex<ChildProcess>
    private let words: [String]
    private let environment: [String: String]

    /// A stream of another program, as `pactl` tells of it.
    struct Stream: Hashable {
        let index: Int
        let sink: Int
        let isCorked: Bool
        let isMuted: Bool
        let volumes: [Int]
        let process: Int32
    }

    /// - Parameters:
    ///   - settings: Lines of the configuration outside of any table.
    ///   - tables: Further tables.
    init(
        _ server: Stage.Server = .pulseAudio,
        sinks: [NullSink] = [NullSink()],
        _ settings: String = "",
        tables: String = "",
        bus: MessageBus? = nil
    ) async throws {
        switch server {
        case .pulseAudio:
            sound = try await PulseServer.start(sinks)
            try sound.control("load-module", "module-stream-restore")
        case .pipeWire: sound = try await PipeWireServer.start(sinks[0], quantum: Stage.Server.quantum)
        }
        folder = try TemporaryFolder()
        self.bus = bus
        try Songs.write(to: folder)
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            foreign-streams = true
            \(settings)
            [[output]]
            name = "music"
            type = "pulse"
            server = "\(sound.address)"
            device = "\(sinks[0].name)"
            \(tables)

            """
        words = [
            "--config", try folder.write("segued.toml", text), "--music-dir", folder.file("music"),
            "--state-dir", folder.file("state"), "--web-listen", "none",
        ]
        environment = sound.clientEnvironment.merging(["SWIFT_BACKTRACE": "enable=no"]) { $1 }
            .merging(bus?.environment ?? ["DBUS_SESSION_BUS_ADDRESS": "unix:path=/nonexistent"]) { $1 }
        process = Mutex(try ChildProcess(try builtProgram("segued"), words, environment: environment))
        try await waitUntilWatching()
    }

    deinit { daemon.end() }

    var daemon: ChildProcess { process.withLock { $0 } }

    private func waitUntilWatching() async throws {
        try await waitForSocket(folder.file("socket"), of: daemon)
        let client = try connect()
        try client.wait { try client.values("session foreign")["foreign"] == "watching" }
    }

    func connect() throws -> LineClient { try LineClient(.unix(folder.file("socket")), of: self) }

    /// Kills the daemon as a crash would.
    func kill() { daemon.end() }

    func restart() async throws {
        let next = try ChildProcess(try builtProgram("segued"), words, environment: environment)
        process.withLock { $0 = next }
        try await waitUntilWatching()
    }

    func terminate() async throws {
        daemon.kill(SIGTERM)
        _ = try await daemon.wait()
    }

    /// Changes the configuration, and has the daemon read it again.
    func reload(_ change: (String) -> String) throws {
        let path = folder.file("segued.toml")
        try change(String(contentsOfFile: path, encoding: .utf8)).write(
            toFile: path,
            atomically: false,
            encoding: .utf8
        )
        daemon.kill(SIGHUP)
    }

    var journal: String { (try? String(contentsOfFile: folder.file("state/foreign-levels"), encoding: .utf8)) ?? "" }

    // MARK: Programs

    /// Plays the music with `paplay` or `mpv`.
    func play(_ program: String = "paplay", sink: NullSink? = nil, _ more: String...) throws -> ChildProcess {
        let song = folder.file("music/music.wav")
        let sink = (sink ?? sound.sink).name
        var environment = sound.clientEnvironment
        environment["PULSE_SINK"] = sink
        let words =
            program == "mpv"
            ? ["--no-config", "--no-terminal", "--vo=null", "--ao=pulse", "--loop", song] + more : more + [song]
        // As a desktop starts it: what the test started itself would be a part of the test, which has sessions.
        return try ChildProcess("setsid", [program] + words, environment: environment)
    }

    /// The streams of other programs.
    func streams() throws -> [Stream] {
        let text = try sound.control("--format=json", "list", "sink-inputs")
        let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
        return list.compactMap { entry in
            let properties = entry["properties"] as? [String: String] ?? [:]
            guard properties["application.id"] != "segue", let index = entry["index"] as? Int else { return nil }
            let volumes = entry["volume"] as? [String: [String: Any]] ?? [:]
            return Stream(
                index: index,
                sink: entry["sink"] as? Int ?? -1,
                isCorked: entry["corked"] as? Bool ?? false,
                isMuted: entry["mute"] as? Bool ?? false,
                volumes: volumes.sorted { $0.key < $1.key }.compactMap { $0.value["value"] as? Int },
                process: properties["application.process.id"].flatMap { Int32($0) } ?? 0
            )
        }
    }

    /// Waits until the streams are as they should be.
    func wait(
        for what: String,
        _ location: SourceLocation = #_sourceLocation,
        until condition: ([Stream]) -> Bool
    ) throws {
        try TestSupport.wait(for: "\(what) (line \(location.line))") { condition(try streams()) }
    }

    /// The volume that 14 dB leave of one.
    static func ducked(_ volume: Int) -> Int { Int((Double(volume) * pow(10, -14.0 / 60)).rounded()) }
}

extension LineClient {
    /// The sessions of other programs' streams.
    func foreignSessions() throws -> [[String: String]] {
        try blocks("session list", startingWith: "session").filter { $0["kind"] == "foreign" }
    }

    func waitForForeign(_ count: Int = 1, _ location: SourceLocation = #_sourceLocation) throws {
        try wait(location) { try foreignSessions().filter { $0["state"] == "active" }.count == count }
    }
}
