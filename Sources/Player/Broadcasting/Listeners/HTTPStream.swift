package import AudioTypes
internal import NIOCore
internal import NIOPosix
internal import Outputs
internal import Sockets
internal import Synchronization

/// A stream by HTTP, and the listeners that may hear it.
package struct HTTPStreamSettings: Sendable, Hashable {
    package var encoding: StreamEncoding
    package var texts: StreamTexts
    /// An address or a name of this machine; `nil` for all its addresses.
    package var host: String?
    package var port: UInt16
    package var maxListeners: Int
    /// Seconds that a request may take.
    var requestTime = 10.0
    /// Seconds of the stream that are kept for listeners who are slow.
    var keptTime = 10.0

    package init(
        _ encoding: StreamEncoding,
        _ texts: StreamTexts,
        host: String? = "127.0.0.1",
        port: UInt16,
        maxListeners: Int = 100
    ) {
        self.encoding = encoding
        self.texts = texts
        self.host = host
        self.port = port
        self.maxListeners = maxListeners
    }
}

extension StreamOutput {
    /// Listens for listeners.
    ///
    /// Blocks.
    ///
    /// - Throws: A one-line reason why it cannot.
    package static func httpd(_ settings: HTTPStreamSettings, format: AudioFormat) throws -> StreamOutput {
        let encoder = try StreamEncoder(settings.encoding, wanted: format)
        return StreamOutput(encoder, to: try HTTPListeners(settings))
    }
}

/// A listening socket, and its listeners, on an event loop that all streams share.
final class HTTPListeners: StreamDestination, SharedStream {
    private let encoding: StreamEncoding
    private let texts: StreamTexts
    private let loop: any EventLoop
    private let server: NIOLoopBound<ListenerServer>
    private let channel: any Channel
    private let counts: ListenerCounts

    /// Bytes that the kernel may hold for a listener: what it holds is late.
    private static let sendBuffer: ChannelOptions.Types.SocketOption.Value = 128 << 10

    init(_ settings: HTTPStreamSettings) throws {
        let loop = streamLoops.next()
        let counts = ListenerCounts(limit: settings.maxListeners)
        let server = try loop.submit { NIOLoopBound(ListenerServer(settings, counts), eventLoop: loop) }.wait()
        let bootstrap = Self.bootstrap(on: loop, server)
        (encoding, texts) = (settings.encoding, settings.texts)
        (self.loop, self.counts, self.server) = (loop, counts, server)
        channel = try Self.bind(bootstrap, settings)
    }

    private static func bootstrap(on loop: any EventLoop, _ server: NIOLoopBound<ListenerServer>) -> ServerBootstrap {
        ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 256)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause { _ in })
                }
            }
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 2_048))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.writeBufferWaterMark, value: .init(low: 16 << 10, high: 64 << 10))
            .childChannelOption(.socketOption(.so_sndbuf), value: sendBuffer)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(StreamListener(server.value))
                }
            }
    }

    private static func bind(_ bootstrap: ServerBootstrap, _ settings: HTTPStreamSettings) throws -> any Channel {
        let place = "\(settings.host ?? "*"):\(settings.port)"
        do {
            guard let host = settings.host else {
                // The IPv6 wildcard takes IPv4 as well; a machine without IPv6 has only the other.
                if let channel = try? bootstrap.bind(host: "::", port: Int(settings.port)).wait() { return channel }
                return try bootstrap.bind(host: "0.0.0.0", port: Int(settings.port)).wait()
            }
            // A name is looked up here: the event loop must not wait for that.
            let address = try SocketAddress.makeAddressResolvingHost(host, port: Int(settings.port))
            return try bootstrap.bind(to: address).wait()
        } catch let error as IOError {
            throw StreamProblem("cannot listen at \(place): \(systemText(error.errnoCode))")
        } catch {
            throw StreamProblem("cannot listen at \(place): \(error)")
        }
    }

    func open(_ demand: @escaping @Sendable (StreamDemand) -> Void) {
        loop.execute { [server] in server.value.open(demand) }
    }

    func send(_ packet: StreamPacket) { loop.execute { [server] in server.value.send(.init(packet)) } }

    func show(_ title: String) { loop.execute { [server] in server.value.show(title) } }

    func close() {
        try? channel.close().wait()
        try? loop.submit { [server] in server.value.closeAll() }.wait()
    }

    // MARK: Listeners in this process

    var shared: (any SharedStream)? { self }

    var fileExtension: String { encoding.codec.fileExtension }

    func fields(withTitles: Bool) -> [(name: String, value: String)] {
        [("Content-Type", encoding.codec.contentType)]
            + ListenerResponse.fields(encoding, texts, titles: withTitles)
    }

    func listen(
        withTitles: Bool,
        _ receive: @escaping @Sendable (SharedStreamEvent) -> Void
    ) -> any SharedStreamSeat {
        RelayedSeat(server, on: loop, withTitles: withTitles, receive)
    }

    func refuse(_ addresses: Set<IPAddress>) {
        let isChanged = counts.refused.withLock { refused in
            defer { refused = addresses }
            return refused != addresses
        }
        if isChanged { loop.execute { [server] in server.value.closeRefused() } }
    }

    // MARK: Attributes

    private static let limitName = "max-clients"
    static let limits = 0...10_000

    var attributes: [String: String] {
        [
            "listeners": "\(counts.listeners.withLock { $0 })", Self.limitName: "\(counts.limit.withLock { $0 })",
            "stream": fileExtension,
        ]
    }

    func followAttributes(_ changed: @escaping @Sendable () -> Void) { counts.changed.withLock { $0 = changed } }

    func setAttribute(_ name: String, to value: String) throws(AttributeProblem) {
        guard name == Self.limitName else { throw AttributeProblem("\(name) cannot be set") }
        guard let limit = Int(value), Self.limits.contains(limit) else {
            throw AttributeProblem("\(name) must be a number from 0 to \(Self.limits.upperBound)")
        }
        counts.limit.withLock { $0 = limit }
        loop.execute { [server] in server.value.setLimit(limit) }
    }
}
