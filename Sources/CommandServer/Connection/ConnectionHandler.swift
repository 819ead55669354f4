internal import Configuration
internal import NIOCore

/// Brings a socket's events to the server, on the event loop that both belong to.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let server: Server
    private let listener: Listener
    private var client: Int?

    init(server: Server, listener: Listener) {
        self.server = server
        self.listener = listener
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        let listener = listener
        client = server.assumeIsolated { $0.connected(channel, at: listener) }
        if client == nil { context.close(promise: nil) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let client else { return }
        let bytes = unwrapInboundIn(data)
        server.assumeIsolated { $0.received(bytes, from: client) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        guard let client, context.channel.isWritable else { return }
        server.assumeIsolated { $0.becameWritable(client) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard let client, case .inputClosed? = event as? ChannelEvent else { return }
        server.assumeIsolated { $0.inputEnded(client) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard let client else { return }
        self.client = nil
        server.assumeIsolated { $0.disconnected(client) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
