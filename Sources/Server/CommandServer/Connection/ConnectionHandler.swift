internal import Alarms
internal import NIOCore
internal import ServerRequests
internal import Settings

/// Brings a socket's events to the server, on the event loop that both belong to.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Where a connection comes from, which decides whose client it is.
    enum Origin: Sendable {
        case listener(Listener)
        case schedule(Schedule)
    }

    private let server: Server
    private let origin: Origin
    /// Belongs to the loop that calls this handler, so it needs no executor and no lock.
    private var connection: Connection?

    /// The handshake that an encrypted connection has passed.
    private let handshake: HandshakeHandler?

    init(server: Server, from origin: Origin, handshake: HandshakeHandler? = nil) {
        self.server = server
        self.origin = origin
        self.handshake = handshake
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        let (origin, name) = (origin, handshake?.name)
        connection = server.assumeIsolated { $0.connected(channel, from: origin, as: name) }?.value
        guard connection != nil else { return context.close(promise: nil) }
        // One that is gone already became inactive while it was greeted.
        if !channel.isActive { channelInactive(context: context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { connection?.receive(unwrapInboundIn(data)) }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { connection?.becameWritable() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .inputClosed? = event as? ChannelEvent { connection?.endInput() }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard let id = connection?.id else { return }
        connection = nil
        server.assumeIsolated { $0.disconnected(id) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
