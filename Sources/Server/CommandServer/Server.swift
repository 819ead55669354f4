internal import AudioTypes
internal import Authorization
internal import ForeignAudio
private import Glibc
internal import LibraryService
internal import LineProtocol
internal import Mixers
package import NIOCore
internal import NIOPosix
internal import Playback
internal import ServerBasics
internal import ServerMusic
internal import ServerNetwork
internal import ServerNowPlaying
internal import ServerPersistence
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import ServerSessions
internal import ServerTimers
package import Settings
internal import Sockets
internal import Threads
internal import WebRequests
internal import Zones

/// The listening side of the daemon: MPD's line protocol on any number of sockets.
///
/// An actor on the one event loop that also reads the sockets: each request is executed where its bytes arrive.
package actor Server {
    nonisolated let loop: any EventLoop
    private nonisolated let executor: any SerialExecutor
    private var state: ServerAssembly?
    private var channels: [any Channel] = []
    private var nextClient = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    package init(loop: any EventLoop) {
        self.loop = loop
        executor = loop.executor
    }

    /// Creates the zones; does not listen yet.
    package func prepare(_ parts: ServerParts) {
        state = ServerAssembly(parts, loop: loop)
        state?.runSchedule = { [weak self] schedule, then in
            guard let self else { return then("the server ends") }
            run(schedule, then: then)
        }
        state?.begin()
    }

    /// Applies a changed configuration, as far as that is possible while running.
    package func apply(_ configuration: Configuration) { state?.apply(configuration) }

    // MARK: Listening

    /// The protocols that clients may begin with.
    package enum Door: Sendable, Hashable {
        /// MPD's.
        case lines
        /// HTTP.
        case web
    }

    /// Listens at an address.
    ///
    /// - Throws: `ListenerError`, which names the address.
    package func listen(at listener: Listener, as door: Door = .lines) async throws {
        do {
            for channel in try await bind(listener, door) { add(channel, listener, door) }
        } catch let error as ListenerError {
            throw error
        } catch let error as IOError {
            throw ListenerError(address: listener.address, code: error.errnoCode)
        } catch let error as IdentityProblem {
            throw ListenerError(address: listener.address, reason: error.description)
        } catch is SocketAddressError.UnknownHost {
            throw ListenerError(address: listener.address, reason: "there is no such host")
        } catch {
            throw ListenerError(address: listener.address, reason: "\(error)")
        }
    }

    private func bind(_ listener: Listener, _ door: Door) async throws -> [any Channel] {
        try await openEncryption(for: listener)
        let bootstrap = bootstrap(for: listener, door)
        switch listener.address {
        case .unix(let path, _):
            try UnixSocketFile.prepare(path)
            return [try await bootstrap.withBoundSocket(UnixSocket.listen(at: listener.address)).get()]
        case .abstract: return [try await bootstrap.withBoundSocket(UnixSocket.listen(at: listener.address)).get()]
        case .tcp(let host?, let port), .tls(let host?, let port):
            do {
                return [try await bootstrap.bind(host: host, port: Int(port)).get()]
            } catch let error as IOError where error.errnoCode == EADDRNOTAVAIL {
                return [try await bindEarly(bootstrap, listener.address, host: host, port: Int(port))]
            }
        case .tcp(nil, let port), .tls(nil, let port):
            // The IPv6 wildcard accepts IPv4 clients as well; a machine without IPv6 can only bind IPv4.
            if let channel = try? await bootstrap.bind(host: "::", port: Int(port)).get() { return [channel] }
            return [try await bootstrap.bind(host: "0.0.0.0", port: Int(port)).get()]
        }
    }

    /// Listens at an address that this machine does not have yet, such as that of a tunnel that begins later: ip(7),
    /// `IP_FREEBIND`, which Linux takes for sockets of IPv6 as well.
    private func bindEarly(
        _ bootstrap: ServerBootstrap,
        _ address: Listener.Address,
        host: String,
        port: Int
    ) async throws -> any Channel {
        let early = ChannelOptions.Types.SocketOption(level: .ip, name: NIOBSDSocket.Option(rawValue: IP_FREEBIND))
        let channel = try await bootstrap.serverChannelOption(early, value: 1).bind(host: host, port: port).get()
        state?.parts.log(.warning, "\(address) is no address of this machine yet; clients can connect when it is")
        return channel
    }

    /// Keeps an address that was not opened, so that its owner is told who asks why.
    package func couldNotListenForHTTP(at listener: Listener, _ reason: String) {
        state?.services.access.closedDoors.append((listener.address, reason))
    }

    /// Listens on an inherited socket.
    package func listen(on descriptor: Int32, as listener: Listener, _ door: Door = .lines) async throws {
        try await openEncryption(for: listener)
        add(try await bootstrap(for: listener, door).withBoundSocket(descriptor).get(), listener, door)
    }

    private func openEncryption(for listener: Listener) async throws {
        guard listener.address.isEncrypted else { return }
        try await state?.encryption.open().get()
    }

    private func add(_ channel: any Channel, _ listener: Listener, _ door: Door) {
        channels.append(channel)
        // Those who find the server by themselves speak in plain text.
        guard !listener.address.isEncrypted else { return }
        state?.visibility.listens(at: channel.localAddress, forHTTP: door == .web)
    }

    /// The numbers of buffered bytes at which a channel stops being writable, and becomes writable again.
    private var writeMarks: ChannelOptions.Types.WriteBufferWaterMark {
        let high = min(64 * 1024, (state?.limits.maxOutputBufferBytes ?? .max) / 2)
        return .init(low: high / 2, high: high)
    }

    private func bootstrap(for listener: Listener, _ door: Door) -> ServerBootstrap {
        ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 1_024)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { [weak self] channel in
                channel.eventLoop.makeCompletedFuture {
                    let pause = AcceptPause { error in
                        self?.assumeIsolated { $0.cannotAccept(at: listener, error) }
                    }
                    try channel.pipeline.syncOperations.addHandler(pause)
                }
            }
            .childChannelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 4_096))
            .childChannelOption(.maxMessagesPerRead, value: 1)
            .childChannelOption(.writeBufferWaterMark, value: writeMarks)
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [weak self] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let self else { return }
                    let handshake = try self.assumeIsolated { try $0.encrypt(channel, at: listener) }?.value
                    let pipeline = channel.pipeline.syncOperations
                    switch door {
                    case .lines:
                        let origin = ConnectionHandler.Origin.listener(listener)
                        try pipeline.addHandler(ConnectionHandler(server: self, from: origin, handshake: handshake))
                    case .web: try WebHandler.add(to: pipeline, server: self, at: listener, handshake: handshake)
                    }
                }
            }
    }

    // MARK: Connections, on the event loop

    private func cannotAccept(at listener: Listener, _ error: IOError) {
        let reason = unsafe String(cString: strerror(error.errnoCode))
        let advice =
            [EMFILE, ENFILE].contains(error.errnoCode) ? "; allow more open files (ulimit -n, LimitNOFILE=)" : ""
        state?.parts.log(.error, "cannot accept clients at \(listener.address): \(reason)\(advice)")
    }

    /// Puts encryption before a new connection, where its listener asks for it.
    private func encrypt(_ channel: any Channel, at listener: Listener) throws -> NIOLoopBound<HandshakeHandler>? {
        guard listener.address.isEncrypted, let state else { return nil }
        let handshake = HandshakeHandler(server: self, listener: listener)
        try channel.pipeline.syncOperations.addHandlers([try state.encryption.makeHandler(), handshake])
        return NIOLoopBound(handshake, eventLoop: loop)
    }

    /// - Returns: `nil` for a client that is already gone.
    func handshakeBegan(_ channel: any Channel, at listener: Listener) -> (number: Int, patience: TimeAmount)? {
        guard let principal = Principal(channel, at: listener) else { return nil }
        return state?.encryption.begin(channel, from: ClientPlace(principal))
    }

    func handshakeEnded(_ number: Int) { state?.encryption.end(number) }

    func handshakeFailed(_ channel: any Channel, at listener: Listener, _ reason: String) {
        guard let principal = Principal(channel, at: listener) else { return }
        state?.encryption.failed(principal.name, reason)
    }

    /// - Parameter name: The client's, as its certificate has it.
    /// - Returns: The connection, bound to the loop; `nil` when it is not admitted.
    func connected(
        _ channel: any Channel,
        from origin: ConnectionHandler.Origin,
        as name: ClientName?
    ) -> NIOLoopBound<Connection>? {
        guard let state else { return nil }
        nextClient += 1
        let connection =
            switch origin {
            case .listener(let listener): state.connect(nextClient, channel, listener, as: name)
            case .schedule(let schedule): state.connect(nextClient, channel, for: schedule)
            }
        return connection.map { NIOLoopBound($0, eventLoop: loop) }
    }

    /// The same for a client who comes by HTTP.
    func connectedByWeb(
        _ channel: any Channel,
        at listener: Listener,
        as name: ClientName?
    ) -> Result<NIOLoopBound<Connection>, WebRefusal> {
        guard let state else { return .failure(.crowded) }
        nextClient += 1
        return state.connectByWeb(nextClient, channel, listener, as: name).map { NIOLoopBound($0, eventLoop: loop) }
    }

    func disconnected(_ connection: Int) { state?.forget(connection) }

    // MARK: The end

    /// Stops listening, closes all connections, and ends the services: files that outputs write are finished.
    package func close() async {
        for channel in channels { try? await channel.close() }
        channels = []
        await state?.end(on: self)
    }
}

/// An error while listening at an address.
package struct ListenerError: Error, Sendable, CustomStringConvertible {
    package let address: Listener.Address
    package let reason: String
    /// Whether another server already listens there.
    package let isTaken: Bool

    init(address: Listener.Address, reason: String, isTaken: Bool = false) {
        self.address = address
        self.reason = reason
        self.isTaken = isTaken
    }

    /// - Parameter code: An `errno`.
    init(address: Listener.Address, code: Int32) {
        self.init(address: address, reason: unsafe String(cString: strerror(code)), isTaken: code == EADDRINUSE)
    }

    package var description: String { "cannot listen at \(address): \(reason)" }
}
