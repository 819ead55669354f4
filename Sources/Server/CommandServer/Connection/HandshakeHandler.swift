internal import Authorization
internal import Cryptography
internal import NIOCore
internal import NIOSSL
internal import NIOTLS
internal import ServerRequests
internal import Settings

/// Stands between TLS and a connection: what is behind it learns of the connection when its encryption is agreed on.
final class HandshakeHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let server: Server
    private let listener: Listener
    /// While the handshake lasts.
    private var number: Int?
    private var patience: Scheduled<Void>?
    /// The name in the client's certificate, when it has given one.
    private(set) var name: ClientName?

    init(server: Server, listener: Listener) {
        self.server = server
        self.listener = listener
    }

    func channelActive(context: ChannelHandlerContext) {
        let (channel, listener) = (context.channel, listener)
        guard let begun = server.assumeIsolated({ $0.handshakeBegan(channel, at: listener) }) else {
            return context.close(promise: nil)
        }
        number = begun.number
        patience = context.eventLoop.scheduleTask(in: begun.patience) { channel.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent, number != nil else {
            return context.fireUserInboundEventTriggered(event)
        }
        ended()
        let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate()
        if let der = try? certificate?.toDERBytes(), let facts = try? CertificateFacts(der: der) {
            name = facts.commonName.flatMap(ClientName.init)
        }
        context.fireChannelActive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A client that leaves without a word has left all the same; its input has ended, as the next event tells.
        if case .uncleanShutdown? = error as? NIOSSLError { return }
        if number != nil {
            let (channel, listener) = (context.channel, listener)
            let reason = Self.reason(error)
            server.assumeIsolated { $0.handshakeFailed(channel, at: listener, reason) }
        }
        context.fireErrorCaught(error)
    }

    /// The reasons in BoringSSL's words, such as `unsupported protocol`, without where in its sources they are.
    private static func reason(_ error: any Error) -> String {
        let text = "\(error)"
        let words = text.matches(of: /OPENSSL_internal:([A-Z0-9_]+)/).map { match in
            match.output.1.lowercased().replacing("_", with: " ")
        }
        return words.isEmpty ? text : words.joined(separator: ", ")
    }

    func channelInactive(context: ChannelHandlerContext) {
        ended()
        context.fireChannelInactive()
    }

    private func ended() {
        patience?.cancel()
        patience = nil
        guard let number else { return }
        self.number = nil
        server.assumeIsolated { $0.handshakeEnded(number) }
    }
}
