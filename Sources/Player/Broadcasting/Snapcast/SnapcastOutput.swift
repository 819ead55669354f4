package import AudioTypes
internal import NIOCore
internal import NIOPosix
internal import Outputs

/// A Snapcast server with a TCP source, and its JSON-RPC.
package struct SnapcastSettings: Sendable, Hashable {
    package var host: String
    /// The port of the source.
    package var port: UInt16
    /// The port of JSON-RPC by TCP; `nil` for none.
    package var controlPort: UInt16?

    package init(host: String = "127.0.0.1", port: UInt16 = 4_953, controlPort: UInt16? = 1_705) {
        self.host = host
        self.port = port
        self.controlPort = controlPort
    }
}

extension StreamOutput {
    /// The server's usual format.
    package static let snapcastFormat = AudioFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo)

    /// Sends raw samples to a Snapcast server, whenever that is there.
    package static func snapcast(_ settings: SnapcastSettings, format: AudioFormat) throws -> StreamOutput {
        let encoder = try StreamEncoder(StreamEncoding(.pcm), wanted: format)
        return StreamOutput(encoder, to: try SnapcastSource(settings), silence: .prompt)
    }
}

/// A Snapcast server's source and its control, on the streams' event loop.
final class SnapcastSource: StreamDestination {
    private let loop: any EventLoop
    private let link: NIOLoopBound<SourceLink>
    private let control: SnapcastControl?

    init(_ settings: SnapcastSettings) throws {
        let loop = streamLoops.next()
        self.loop = loop
        let target = SourceTarget(settings)
        link = try loop.submit { NIOLoopBound(SourceLink(target, on: loop), eventLoop: loop) }.wait()
        control = settings.controlPort.map { SnapcastControl(settings.host, $0, on: loop) }
        control?.connect()
    }

    func open(_ demand: @escaping @Sendable (StreamDemand) -> Void) {
        loop.execute { [link] in link.value.open(demand) }
    }

    func send(_ packet: StreamPacket) { loop.execute { [link] in link.value.send(.init(packet)) } }

    var attributes: [String: String] { control?.attributes ?? [:] }

    func followAttributes(_ changed: @escaping @Sendable () -> Void) { control?.follow(changed) }

    func setAttribute(_ name: String, to value: String) throws(AttributeProblem) {
        try control?.setVolume(name, to: value)
    }

    func close() {
        control?.close()
        try? loop.submit { [link] in link.value.close() }.wait()
    }
}

extension SourceTarget {
    init(_ settings: SnapcastSettings) {
        self.init(host: settings.host, port: settings.port, place: "\(settings.host):\(settings.port)")
        // Chunks that wait here are heard late.
        (kept, sendBuffer) = (0.5, 16 << 10)
    }
}
