internal import NIOCore
internal import NIOPosix
internal import Outputs
private import Synchronization
internal import TextEncodings

/// A Snapcast server's JSON-RPC by TCP: the volumes of its clients.
final class SnapcastControl: Sendable {
    private let host: String
    private let port: UInt16
    private let loop: any EventLoop
    private let state = Mutex(State())

    private struct State {
        var clients = SnapcastClients()
        var channel: (any Channel)?
        var isClosed = false
        /// Called when the clients or their volumes have changed.
        var changed: (@Sendable () -> Void)?
        var backoff = Backoff(from: 0.5, to: 8)
    }

    init(_ host: String, _ port: UInt16, on loop: any EventLoop) {
        (self.host, self.port, self.loop) = (host, port, loop)
    }

    var attributes: [String: String] { state.withLock { $0.clients.attributes } }

    func follow(_ changed: @escaping @Sendable () -> Void) { state.withLock { $0.changed = changed } }

    /// Asks for a client's volume, without waiting for the answer.
    func setVolume(_ name: String, to value: String) throws(AttributeProblem) {
        guard let volume = Int(value), (0...100).contains(volume) else {
            throw AttributeProblem("\(name) must be a number from 0 to 100")
        }
        let (client, channel) = state.withLock { ($0.clients.client(ofAttribute: name), $0.channel) }
        guard let client, let channel else { throw AttributeProblem("the Snapcast server does not answer") }
        channel.writeAndFlush(ByteBuffer(string: SnapcastClients.order(volume: volume, of: client)), promise: nil)
        // The server tells all others of it, and this one only that it is done.
        channel.writeAndFlush(ByteBuffer(string: SnapcastClients.question), promise: nil)
    }

    func connect() {
        guard !state.withLock({ $0.isClosed }) else { return }
        ClientBootstrap(group: loop)
            .resolver(NameResolver(on: loop))
            .connectTimeout(.seconds(5))
            .channelInitializer { [weak self] channel in
                channel.eventLoop.makeCompletedFuture {
                    // A connection without the handler would never be closed.
                    guard let self, !self.state.withLock({ $0.isClosed }) else { throw ChannelError.alreadyClosed }
                    try channel.pipeline.syncOperations.addHandler(SnapcastLines(self))
                }
            }
            .connect(host: host, port: Int(port))
            .whenFailure { [weak self] _ in self?.ended() }
    }

    func close() {
        let channel = state.withLock { state in
            state.isClosed = true
            return state.channel
        }
        channel?.close(promise: nil)
    }

    // MARK: The connection, on the event loop

    fileprivate func connected(_ channel: any Channel) {
        let isWanted = state.withLock { state in
            guard !state.isClosed else { return false }
            state.channel = channel
            state.backoff.reset()
            return true
        }
        guard isWanted else { return channel.close(promise: nil) }
        ask(channel)
    }

    fileprivate func received(_ line: [UInt8], on channel: any Channel) {
        guard let message = try? JSON(parsing: line) else { return }
        let (asksAgain, changed) = state.withLock { state in
            let before = state.clients
            let asksAgain = state.clients.handle(message)
            return (asksAgain, state.clients == before ? nil : state.changed)
        }
        changed?()
        if asksAgain { ask(channel) }
    }

    fileprivate func ended() {
        let (delay, isClosed, changed) = state.withLock { state in
            let changed = state.clients == SnapcastClients() ? nil : state.changed
            (state.channel, state.clients) = (nil, SnapcastClients())
            return (state.backoff.next(), state.isClosed, changed)
        }
        guard !isClosed else { return }
        changed?()
        loop.scheduleTask(in: .milliseconds(Int64(saturating: delay * 1_000))) { [weak self] in self?.connect() }
    }

    private func ask(_ channel: any Channel) {
        channel.writeAndFlush(ByteBuffer(string: SnapcastClients.question), promise: nil)
    }
}

/// Splits what comes into lines.
private final class SnapcastLines: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let control: SnapcastControl
    private var line: [UInt8] = []

    /// Bytes of a message at most: a status of hundreds of clients.
    private static let limit = 1 << 20

    init(_ control: SnapcastControl) { self.control = control }

    func channelActive(context: ChannelHandlerContext) { control.connected(context.channel) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        for byte in unwrapInboundIn(data).readableBytesView {
            if byte == 0x0a {
                control.received(line, on: context.channel)
                line = []
            } else if line.count < Self.limit {
                line.append(byte)
            } else {
                return context.close(promise: nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) { control.ended() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
