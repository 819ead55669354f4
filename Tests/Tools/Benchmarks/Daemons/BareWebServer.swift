private import Glibc
private import NIOCore
private import NIOHTTP1
private import NIOPosix

/// A server by HTTP that does nothing but respond, with the parser and the event loop that the daemon has.
final class BareWebServer {
    private let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    private let channel: any Channel

    /// Of 127.0.0.1.
    var port: UInt16 { UInt16(channel.localAddress?.port ?? 0) }

    init() async throws {
        channel = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handlers: [any ChannelHandler] = [
                        HTTPResponseEncoder(), ByteToMessageHandler(HTTPRequestDecoder()), BareResponder(),
                    ]
                    try channel.pipeline.syncOperations.addHandlers(handlers)
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
    }

    /// Processor seconds that its thread has used.
    func cpuSeconds() async throws -> Double {
        try await channel.eventLoop.submit {
            var time = timespec()
            unsafe clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
            return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
        }.get()
    }

    func end() async throws {
        try await channel.close()
        try await group.shutdownGracefully()
    }
}

private final class BareResponder: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// As long as the result of `status`.
    private static let body = ByteBuffer(repeating: 0x20, count: 450)

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let fields: HTTPHeaders = ["Content-Type": "application/json", "Content-Length": "\(Self.body.readableBytes)"]
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(Self.body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
