import AudioTypes
import OutputGroups
import Outputs
import Playback
import TestSupport

@testable import Broadcasting

/// A player on a group whose clock is a silent output, beside which streams go out.
struct BroadcastStage {
    /// The names of outputs whose state has changed, again and again.
    let changes: Watched<[String]>
    let group: OutputGroup
    let player: Player
    let folder: TemporaryFolder

    init() async throws {
        folder = try TemporaryFolder()
        let changes = Watched<[String]>([])
        (self.changes, group) = (changes, OutputGroup { name in changes.withLock { $0.append(name) } })
        group.add(OutputDescription(name: "clock", plugin: .null, mixer: .none) { NullOutput(format: $0) })
        player = Player(output: group)
    }

    /// Adds an HTTP stream.
    func addStream(
        _ encoding: StreamEncoding,
        _ change: (inout HTTPStreamSettings) -> Void = { _ in }
    ) throws -> HTTPStreamSettings {
        var settings = HTTPStreamSettings(encoding, StreamTexts(name: "Test"), port: try steadyPort())
        change(&settings)
        group.add(
            OutputDescription(name: "stream", plugin: .httpd, mixer: .none) { [settings] in
                try StreamOutput.httpd(settings, format: $0)
            }
        )
        try wait(for: "the output") { group.members.contains { $0.name == "stream" && $0.isOpen } }
        return settings
    }

    /// Adds a stream to an Icecast server, without waiting for it.
    func addIcecast(
        _ codec: StreamEncoding.Codec,
        _ server: IcecastServer,
        password: String = IcecastServer.sourcePassword
    ) {
        let settings = IcecastSettings(
            StreamEncoding(codec),
            StreamTexts(name: "Test", genre: "Noise"),
            host: "127.0.0.1",
            port: server.port,
            mount: "/radio",
            password: password
        )
        group.add(
            OutputDescription(name: "icecast", plugin: .icecast, mixer: .none) {
                try StreamOutput.icecast(settings, format: $0)
            }
        )
    }

    var stream: OutputState? { group.members.first { $0.name == "stream" } }

    func waitForListeners(_ count: Int) throws {
        try wait(for: "\(count) listeners") { stream?.attributes["listeners"] == "\(count)" }
    }

    /// Plays signals, one file each; returns once they are heard.
    func play(_ signals: [Float]...) async throws {
        for (index, signal) in signals.enumerated() {
            let path = folder.file("\(index).wav")
            try WaveFile.write(signal, sampleRate: 44_100, to: path)
            await player.append([MediaEntry(location: path)])
        }
        await player.play()
        try wait(for: "the first sound") { player.currentTime().seconds > 0 }
    }
}

/// A listener, which reads when it is told to.
final class StreamReader {
    let client: LineClient
    private(set) var head: [String] = []

    /// Asks, and reads the head of the response.
    init(_ port: UInt16, _ method: String = "GET", _ path: String = "/", _ fields: String...) throws {
        client = LineClient(descriptor: try SocketAddress.ipv4(port).connect())
        client.send("\(method) \(path) HTTP/1.1\r\nHost: x\r\n" + fields.map { $0 + "\r\n" }.joined() + "\r\n")
        while let line = Optional(client.line()), line != "\r", line != "<closed>", line != "<silence>" {
            head.append(line.filter { $0 != "\r" && $0 != "\r\n" })
        }
    }

    var status: String { String(head.first?.split(separator: " ").dropFirst().first ?? "") }

    /// The next bytes of the body; fewer at its end.
    func read(_ count: Int) -> [UInt8] { client.bytes(count) }
}

/// One channel of a WAV file's stereo, after its header.
func pcm(_ bytes: [UInt8]) -> [Int16] {
    let place = (0..<min(200, bytes.count)).first { bytes[$0...].starts(with: "data".utf8) }
    let start = place.map { $0 + 8 } ?? 0
    return stride(from: start, to: bytes.count - 3, by: 4).map {
        Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
    }
}
