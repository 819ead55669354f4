internal import AudioTypes
package import Configuration
private import Glibc
internal import LineProtocol
internal import MusicLibrary
package import NIOCore
internal import NIOPosix
internal import Playback
internal import Zones

/// The listening side of the daemon: MPD's line protocol on any number of sockets.
///
/// An actor on one event loop, which is also where the sockets are read: a request is carried out where its bytes arrive.
package actor Server {
    private nonisolated let loop: any EventLoop
    private nonisolated let executor: any SerialExecutor
    private let pool: NIOThreadPool
    private var state: ServerState?
    private var channels: [any Channel] = []
    private var nextClient = 0

    package nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe executor.asUnownedSerialExecutor() }

    package init(loop: any EventLoop) {
        self.loop = loop
        executor = loop.executor
        pool = NIOThreadPool(numberOfThreads: 2)
        pool.start()
    }

    /// Sets up the zones; nothing is listened to yet.
    package func prepare(_ parts: ServerParts) {
        state = ServerState(parts, loop: loop, pool: pool) { [weak self, loop] body in
            loop.execute { [weak self] in self?.assumeIsolated { $0.withState(body) } }
        }
        state?.startLibrary()
        guard let state, parts.keepsState else { return }
        state.keeper = StateKeeper(folder: parts.configuration.stateDirectory, loop: loop, server: state)
    }

    private func withState(_ body: (ServerState) -> Void) {
        if let state { body(state) }
    }

    /// Puts a changed configuration into force, as far as that is possible while running.
    package func apply(_ configuration: Configuration) { state?.apply(configuration) }

    // MARK: Listening

    /// Listens at an address.
    ///
    /// - Throws: `ListenerError`, which names the address.
    package func listen(at listener: Listener) async throws {
        do {
            for channel in try await bind(listener) { channels.append(channel) }
        } catch let error as ListenerError {
            throw error
        } catch let error as IOError {
            throw ListenerError(address: listener.address, code: error.errnoCode)
        } catch is SocketAddressError.UnknownHost {
            throw ListenerError(address: listener.address, reason: "there is no such host")
        } catch {
            throw ListenerError(address: listener.address, reason: "\(error)")
        }
    }

    private func bind(_ listener: Listener) async throws -> [any Channel] {
        let bootstrap = bootstrap(for: listener)
        switch listener.address {
        case .unix(let path, _):
            try UnixSocketFile.prepare(path)
            return [try await bootstrap.withBoundSocket(UnixSocket.listen(at: listener.address)).get()]
        case .abstract: return [try await bootstrap.withBoundSocket(UnixSocket.listen(at: listener.address)).get()]
        case .tcp(let host?, let port): return [try await bootstrap.bind(host: host, port: Int(port)).get()]
        case .tcp(nil, let port):
            // IPv6's wildcard takes IPv4's clients as well; a machine without IPv6 has only the latter.
            if let channel = try? await bootstrap.bind(host: "::", port: Int(port)).get() { return [channel] }
            return [try await bootstrap.bind(host: "0.0.0.0", port: Int(port)).get()]
        }
    }

    /// Listens at a socket that was opened for the server.
    package func listen(on descriptor: Int32, as listener: Listener) async throws {
        channels.append(try await bootstrap(for: listener).withBoundSocket(descriptor).get())
    }

    private func bootstrap(for listener: Listener) -> ServerBootstrap {
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
            .childChannelOption(.allowRemoteHalfClosure, value: true)
            .childChannelInitializer { [weak self] channel in
                channel.eventLoop.makeCompletedFuture {
                    guard let self else { return }
                    try channel.pipeline.syncOperations.addHandler(ConnectionHandler(server: self, listener: listener))
                }
            }
    }

    // MARK: Connections, on the event loop

    private func cannotAccept(at listener: Listener, _ error: IOError) {
        let reason = unsafe String(cString: strerror(error.errnoCode))
        let advice =
            [EMFILE, ENFILE].contains(error.errnoCode) ? "; allow more open files (ulimit -n, LimitNOFILE=)" : ""
        state?.parts.log(.error, "cannot let anybody in at \(listener.address): \(reason)\(advice)")
    }

    /// - Returns: The client, bound to the loop; `nil` when it is not let in.
    func connected(_ channel: any Channel, at listener: Listener) -> NIOLoopBound<Client>? {
        guard let state, state.clients.count < state.limits.maxConnections else { return nil }
        nextClient += 1
        let client = state.makeClient(nextClient, channel, listener)
        state.clients[nextClient] = client
        state.watchSilence(of: client)
        return NIOLoopBound(client, eventLoop: loop)
    }

    func disconnected(_ client: Int) { state?.forget(client) }

    // MARK: The end

    /// Lets what plays fall silent in a third of a second, rather than with a click.
    private func fadeOut(_ players: [Player]) async {
        let playing = players.filter { $0.status.timeControlStatus == .playing }.map { ($0, $0.status.volume.percent) }
        guard !playing.isEmpty else { return }
        for step in (0..<10).reversed() {
            for (player, percent) in playing { await player.setVolume(Volume(percent: percent * Double(step) / 10)) }
            try? await Task.sleep(for: .milliseconds(30))
        }
    }

    /// Stops listening, ends all connections and completes what outputs write.
    package func close() async {
        for channel in channels { try? await channel.close() }
        channels = []
        guard let state else { return }
        for client in state.clients.values { client.close() }
        if let library = state.library {
            try? await pool.runIfActive { [moves = state.followedMoves] in
                if let moves { library.followed(moves) }
                library.stop()
            }
        }
        state.keeper?.close()
        state.keeper = nil
        if let playlists = state.playlists {
            for error in state.playlistEdits.sync(playlists) { state.parts.log(.error, "\(error)") }
        }
        state.announcer.cancelAll()
        let players = state.zones.compactMap(\.player)
        await fadeOut(players)
        for player in players { await player.close() }
        // Nothing that must be kept waits for a disk that does not answer.
        if let library = state.library { try? await pool.runIfActive { library.close() } }
        try? await pool.shutdownGracefully()
    }
}

/// Why an address cannot be listened at.
package struct ListenerError: Error, Sendable, CustomStringConvertible {
    package let address: Listener.Address
    package let reason: String
    /// Whether somebody else listens there.
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
