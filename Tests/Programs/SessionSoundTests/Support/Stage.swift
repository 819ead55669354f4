import AudioTypes
import Foundation
import Synchronization
import TestSupport
import Testing

/// A real sound server, a segued that plays to it, and music of which every sample is known.
final class Stage: Sendable {
    /// The sound servers that all of it has to hold at.
    enum Server: String, CaseIterable, Sendable {
        case pulseAudio
        case pipeWire

        var isInstalled: Bool {
            switch self {
            case .pulseAudio: PulseServer.missing.isEmpty
            case .pipeWire: PipeWireServer.missing.isEmpty
            }
        }

        static let installed = allCases.filter(\.isInstalled)

        /// How much later than at PulseAudio a change is heard, in seconds: PipeWire calls nothing back that it has taken,
        /// which may be 0.3 s, and tells up to 0.1 s too early what was heard.
        var grace: Double { self == .pulseAudio ? 0 : 0.45 }

        /// How many of a voice's last frames may be missing: PipeWire now and then leaves up to 50 ms out where what follows
        /// was written over.
        var tail: Int { self == .pulseAudio ? 0 : Stage.sampleRate / 20 }

        /// How much later than it was heard something may be recorded: it is mixed in pieces, on a busy machine late.
        var delay: Duration {
            self == .pulseAudio ? .milliseconds(20) : .milliseconds(2 * Self.quantum * 1000 / Stage.sampleRate)
        }

        /// So many that PipeWire, which has no real-time rights here, skips none on a busy machine.
        static let quantum = 4096
    }

    let sound: any SoundServer
    let folder: TemporaryFolder
    let process: ChildProcess
    private let wasEnded = Mutex(false)

    static let sampleRate = 44_100

    /// - Parameters:
    ///   - zones: The further zones, each with its sink; the default zone plays to the first sink.
    ///   - more: Lines at the beginning of the configuration.
    static func start(
        _ server: Server = .pulseAudio,
        sinks: [NullSink] = [NullSink()],
        zones: [(name: String, sink: String)] = [],
        _ more: String = "",
        tables: String = ""
    ) async throws -> Stage {
        let sound: any SoundServer
        switch (server, sinks.count) {
        case (.pulseAudio, 1): sound = try await PulseServer.start(sinks[0])
        case (.pulseAudio, _): sound = try await PulseServer.start(sinks[0], sinks[1])
        case (.pipeWire, 1): sound = try await PipeWireServer.start(sinks[0], quantum: Server.quantum)
        case (.pipeWire, _): sound = try await PipeWireServer.start(sinks[0], sinks[1], quantum: Server.quantum)
        }
        let outputs = Self.output("[[output]]", sound.sinks[0].name, sound)
        let rest = zones.map { "[[zone]]\nname = \"\($0.name)\"\n" + output("[[zone.output]]", $0.sink, sound) }
        return try await Stage(on: sound, "\(more)\n\(outputs)\n\(rest.joined(separator: "\n"))\n\(tables)")
    }

    private static func output(_ header: String, _ sink: String, _ sound: any SoundServer) -> String {
        """
        \(header)
        name = "to \(sink) \(UInt32.random(in: 0...(.max)))"
        type = "pulse"
        server = "\(sound.address)"
        device = "\(sink)"
        format = "44100:16:2"

        """
    }

    /// - Parameters:
    ///   - configuration: The whole of it but for the folders and the socket.
    ///   - music: The music directory, unless it is that of `Songs`.
    init(on sound: any SoundServer, _ configuration: String, music: String? = nil) async throws {
        self.sound = sound
        folder = try TemporaryFolder()
        if music == nil { try Songs.write(to: folder) }
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            \(configuration)
            [session]
            fade = "100ms"
            duck = 14
            duck-ramp = "120ms"

            """
        let words = [
            "--config", try folder.write("segued.toml", text), "--music-dir", music ?? folder.file("music"),
            "--state-dir", folder.file("state"), "--web-listen", "none",
        ]
        let environment = sound.clientEnvironment.merging(["SWIFT_BACKTRACE": "enable=no", "TZ": "UTC"]) { $1 }
        process = try ChildProcess(try builtProgram("segued"), words, environment: environment)
        try await waitForSocket(socket, of: process)
    }

    deinit {
        // A server that ended by itself has said why.
        if !process.isRunning, !wasEnded.withLock({ $0 }) { Issue.record("segued ended: \(process.errorText)") }
        if let crash = process.endNotingCrash() { Issue.record("\(crash)") }
    }

    /// Ends the daemon as a service manager would.
    func end() async throws {
        wasEnded.withLock { $0 = true }
        process.kill(SIGTERM)
        _ = try await process.wait()
    }

    var socket: String { folder.file("socket") }

    /// - Parameter zone: Where the client is, unless in the default zone.
    func connect(_ zone: String? = nil) throws -> LineClient {
        let client = try LineClient(.unix(socket), of: self)
        if let zone { try client.order("partition \(zone)") }
        return client
    }

}

/// A program that was built beside the tests.
func builtProgram(_ name: String) throws -> String {
    let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
        .appending(path: name).path
    guard FileManager.default.isExecutableFile(atPath: path) else {
        throw ClientError(description: "\(path) is not there (build the product '\(name)' first)")
    }
    return path
}
