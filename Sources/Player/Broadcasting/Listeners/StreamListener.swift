internal import AudioTypes
internal import NIOCore

/// One connection of a listener: a request, and then the stream as fast as the listener reads it, and no faster than it is
/// made.
final class StreamListener: ChannelInboundHandler, PacketReader {
    typealias InboundIn = ByteBuffer

    private let server: ListenerServer
    private var context: ChannelHandlerContext?
    /// Where it is, without the port.
    private(set) var address: String?
    private(set) var origin: IPAddress?
    private var request: [UInt8] = []
    private var end = HeadEnd()
    private var timeout: Scheduled<Void>?
    /// Its way through the stream, once it listens.
    private var reader: TitledReading?
    private var lastProgress = NIODeadline.now()

    /// A listener that takes no byte for so long is gone.
    static let stallTime = TimeAmount.seconds(30)

    init(_ server: ListenerServer) { self.server = server }

    // MARK: The request

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        address = context.remoteAddress?.ipAddress
        origin = address.flatMap { IPAddress($0) }
        server.connected(self)
        let bound = NIOLoopBound(self, eventLoop: context.eventLoop)
        timeout = context.eventLoop.scheduleTask(
            in: .milliseconds(Int64(saturating: server.settings.requestTime * 1_000))
        ) { bound.value.refuse(.tooSlow) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        timeout?.cancel()
        self.context = nil
        server.disconnected(self)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard reader == nil, timeout != nil else { return }
        let bytes = unwrapInboundIn(data).readableBytesView
        request.append(contentsOf: bytes)
        end.look(at: bytes)
        guard end.isReached || request.count > ListenerRequest.limit else { return }
        do throws(ListenerRequest.Problem) {
            guard let request = try ListenerRequest(head: request) else { return }
            answer(request, context)
        } catch {
            refuse(error == .tooLarge ? .tooLarge : .malformed)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ request: ListenerRequest, _ context: ChannelHandlerContext) {
        guard server.mayListen(from: origin) else { return refuse(.forbidden) }
        guard request.method == "GET" || request.method == "HEAD" else { return refuse(.wrongMethod) }
        guard request.asksFor(server.settings.encoding.codec) else { return refuse(.notFound) }
        let head = ListenerResponse.stream(server.settings.encoding, server.settings.texts, titles: request.wantsTitles)
        guard request.method == "GET" else { return refuse(head) }
        guard let first = server.admit(self) else { return refuse(.full) }
        begin(at: first, head, withTitles: request.wantsTitles, context)
    }

    private func endRequest() {
        timeout?.cancel()
        timeout = nil
        server.requestEnded(of: self)
    }

    /// Makes room for another connection, while its request is not complete.
    func giveWay() { refuse(.tooSlow) }

    /// Responds, and closes the connection.
    private func refuse(_ response: ListenerResponse) {
        endRequest()
        guard let context else { return }
        let channel = context.channel
        context.writeAndFlush(NIOAny(ByteBuffer(string: response.text))).whenComplete { _ in
            channel.close(promise: nil)
        }
    }

    // MARK: The stream

    private func begin(
        at first: Int,
        _ head: ListenerResponse,
        withTitles: Bool,
        _ context: ChannelHandlerContext
    ) {
        endRequest()
        request = []
        // Nothing else is to come; the end of the connection is noticed without reading.
        context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
        context.write(NIOAny(ByteBuffer(string: head.text)), promise: nil)
        reader = TitledReading(from: first, withTitles: withTitles)
        context.flush()
        pump()
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { pump() }
    }

    func pump() {
        guard let context, reader != nil else { return }
        guard server.mayListen(from: origin) else { return close() }
        guard context.channel.isWritable else {
            if .now() - lastProgress > Self.stallTime { close() }
            return
        }
        lastProgress = .now()
        var hasWritten = false
        while context.channel.isWritable, let parts = reader?.next(of: server) {
            for part in parts { context.write(NIOAny(part), promise: nil) }
            hasWritten = true
        }
        if hasWritten { context.flush() }
    }

    func close() { context?.close(promise: nil) }
}
