internal import NIOCore
internal import NIOWebSocket
internal import ServerRequests

/// Brings the messages of a WebSocket to its connection, on the event loop that both belong to.
final class WebSocketHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let server: Server
    private var connection: Connection?
    /// The parts of a message that is not complete; `nil` between messages.
    private var message: ByteBuffer?

    init(server: Server, _ connection: Connection) { (self.server, self.connection) = (server, connection) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let frame = unwrapInboundIn(data)
        guard let connection, !connection.isClosing else { return }
        // Clients mask their frames, and no extension was agreed on (RFC 6455, sections 5.1 and 5.2).
        guard frame.maskKey != nil, frame.reservedBits.isEmpty else { return end(.protocolError) }
        switch frame.opcode {
        case .text:
            guard message == nil else { return end(.protocolError) }
            add(frame)
        case .continuation:
            guard message != nil else { return end(.protocolError) }
            add(frame)
        case .ping: connection.answerPing(Array(frame.unmaskedData.readableBytesView))
        case .pong: connection.isAlive()
        case .connectionClose: end(Self.code(for: frame))
        case .binary: end(.unacceptableData)
        default: end(.protocolError)
        }
    }

    private func add(_ frame: WebSocketFrame) {
        guard let connection else { return }
        var bytes = frame.unmaskedData
        var message = message.take() ?? ByteBuffer()
        guard message.readableBytes + bytes.readableBytes <= connection.mostMessageBytes() else {
            return end(.messageTooLarge)
        }
        message.writeBuffer(&bytes)
        guard frame.fin else {
            self.message = message
            return
        }
        guard String(validating: message.readableBytesView, as: UTF8.self) != nil else {
            return end(.dataInconsistentWithMessage)
        }
        connection.receive(message.asLine())
    }

    /// The status with which a frame that ends the WebSocket is answered (RFC 6455, sections 5.5.1 and 7.4).
    private static func code(for frame: WebSocketFrame) -> WebSocketErrorCode {
        var bytes = frame.unmaskedData
        if bytes.readableBytes == 0 { return .normalClosure }
        guard let code = bytes.readInteger(as: UInt16.self), isUsable(code) else { return .protocolError }
        let isText = String(validating: bytes.readableBytesView, as: UTF8.self) != nil
        return isText ? .normalClosure : .dataInconsistentWithMessage
    }

    /// Whether a client may send a status: those that are registered for that, of libraries, and of programs.
    private static func isUsable(_ code: UInt16) -> Bool {
        (1000...1003).contains(code) || (1007...1014).contains(code) || (3000...4999).contains(code)
    }

    private func end(_ code: WebSocketErrorCode) {
        message = nil
        connection?.endWebSocket(code)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error as? NIOWebSocketError {
        case .invalidFrameLength?: end(.messageTooLarge)
        case .some: end(.protocolError)
        case nil: context.close(promise: nil)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { connection?.becameWritable() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        // A client without further messages that waits for responses keeps its side open.
        if case .inputClosed? = event as? ChannelEvent { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        guard let id = connection?.id else { return }
        connection = nil
        server.assumeIsolated { $0.disconnected(id) }
    }
}
