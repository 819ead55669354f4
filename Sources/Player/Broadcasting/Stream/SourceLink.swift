internal import NIOCore
internal import NIOPosix
internal import Outputs

/// A server that a stream is sent to.
struct SourceTarget: Sendable {
    var host: String
    var port: UInt16
    /// Its name in errors.
    var place: String
    /// The request before the stream, which the server has to accept; `nil` where the stream begins at once.
    var request: String?
    /// The request that tells a title; `nil` where that is not told.
    var titleRequest: (@Sendable (String) -> String)?
    /// Seconds of the stream that may wait here, and bytes that may wait in the kernel.
    var kept = 5.0
    var sendBuffer: ChannelOptions.Types.SocketOption.Value = 128 << 10

    init(host: String, port: UInt16, place: String) { (self.host, self.port, self.place) = (host, port, place) }
}

/// The connection to a server that a stream is sent to, made again whenever it ends.
///
/// Belongs to its event loop.
final class SourceLink {
    private let target: SourceTarget
    private let loop: any EventLoop
    private var recent: RecentPackets
    private var demand: (@Sendable (StreamDemand) -> Void)?
    private var backoff = Backoff(from: 0.5, to: 8)
    private var retry: Scheduled<Void>?
    private var channel: (any Channel)?
    /// The next packet, once the server has accepted the stream.
    private var reader: StreamReading?
    private var lastProgress = NIODeadline.now()
    private var title = ""
    private var isClosed = false
    /// Why the last connection ended.
    private var reason = "it does not answer"

    private static let connectTime = TimeAmount.seconds(5)
    /// Seconds in which it must answer, and in which it must take some of what is sent.
    private static let answerTime = TimeAmount.seconds(10)

    init(_ target: SourceTarget, on loop: any EventLoop) {
        self.target = target
        recent = RecentPackets(seconds: target.kept, bytes: 2 << 20)
        self.loop = loop
    }

    // MARK: The stream

    func open(_ demand: @escaping @Sendable (StreamDemand) -> Void) {
        self.demand = demand
        connect()
    }

    func send(_ packet: RecentPackets.Packet) {
        recent.append(packet)
        pump()
    }

    func show(_ title: String) {
        self.title = title
        if reader != nil { tellTitle() }
    }

    func close() {
        isClosed = true
        retry?.cancel()
        channel?.close(promise: nil)
    }

    // MARK: The connection

    private func connect() {
        guard !isClosed else { return }
        let bound = NIOLoopBound(self, eventLoop: loop)
        ClientBootstrap(group: loop)
            .resolver(NameResolver(on: loop))
            .connectTimeout(Self.connectTime)
            .channelOption(.socketOption(.so_sndbuf), value: target.sendBuffer)
            .channelOption(
                .writeBufferWaterMark,
                value: .init(low: Int(target.sendBuffer) / 4, high: Int(target.sendBuffer))
            )
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(SourceHandler(bound.value))
                }
            }
            .connect(host: target.host, port: Int(target.port))
            .whenComplete { result in
                switch result {
                case .success(let channel): bound.value.connected(channel)
                case .failure(let error): bound.value.ended(Self.text(error))
                }
            }
    }

    private static func text(_ error: any Error) -> String {
        if let error = error as? NIOConnectionError {
            return error.dnsAError != nil || error.dnsAAAAError != nil
                ? "its name is unknown" : error.connectionErrors.first.map { text($0.error) } ?? "it does not answer"
        }
        return (error as? IOError).map { systemText($0.errnoCode) } ?? "it does not answer"
    }

    private func connected(_ channel: any Channel) {
        guard !isClosed else { return channel.close(promise: nil) }
        self.channel = channel
        guard let request = target.request else { return answered(.accepted) }
        channel.writeAndFlush(ByteBuffer(string: request), promise: nil)
        let bound = NIOLoopBound(self, eventLoop: loop)
        retry = loop.scheduleTask(in: Self.answerTime) { bound.value.fail("it does not answer") }
    }

    func answered(_ response: IcecastResponse) {
        guard reader == nil else { return }
        switch response {
        case .incomplete: break
        case .refused(let reason): fail(reason)
        case .accepted:
            retry?.cancel()
            backoff.reset()
            recent.clear()
            reader = StreamReading(next: recent.end)
            lastProgress = .now()
            demand?(.wanted)
            tellTitle()
        }
    }

    /// Ends the connection.
    private func fail(_ reason: String) {
        self.reason = reason
        channel?.close(promise: nil)
    }

    func closed() { ended(reader == nil ? reason : "it has closed the connection") }

    /// Records that there is no connection, and tries again later.
    private func ended(_ reason: String) {
        retry?.cancel()
        channel = nil
        reader = nil
        recent.clear()
        self.reason = "it does not answer"
        guard !isClosed else { return }
        demand?(.lost("\(target.place): \(reason)"))
        let bound = NIOLoopBound(self, eventLoop: loop)
        let delay = TimeAmount.milliseconds(Int64(saturating: backoff.next() * 1_000))
        retry = loop.scheduleTask(in: delay) { bound.value.connect() }
    }

    func pump() {
        guard let channel, reader != nil else { return }
        guard channel.isWritable else {
            if .now() - lastProgress > Self.answerTime { fail("it takes nothing") }
            return
        }
        lastProgress = .now()
        var hasWritten = false
        while channel.isWritable, let bytes = reader?.next(in: recent) {
            channel.write(bytes, promise: nil)
            hasWritten = true
        }
        if hasWritten { channel.flush() }
    }

    // MARK: Titles

    /// Tells the title by a request of its own.
    private func tellTitle() {
        guard let request = target.titleRequest?(title), !title.isEmpty else { return }
        ClientBootstrap(group: loop)
            .resolver(NameResolver(on: loop))
            .connectTimeout(Self.connectTime)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(OneRequest(request, within: Self.answerTime))
                }
            }
            .connect(host: target.host, port: Int(target.port))
            .whenFailure { _ in }
    }
}

/// Passes on what comes from the server.
private final class SourceHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let link: SourceLink
    private var response: [UInt8] = []

    init(_ link: SourceLink) { self.link = link }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard response.count <= IcecastResponse.limit else { return }
        response.append(contentsOf: unwrapInboundIn(data).readableBytesView.prefix(IcecastResponse.limit + 1))
        link.answered(IcecastResponse(response))
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) { link.pump() }
    func channelInactive(context: ChannelHandlerContext) { link.closed() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Sends a request, and closes the connection at the first byte of the response.
private final class OneRequest: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    private let request: String
    private let limit: TimeAmount
    private var timeout: Scheduled<Void>?

    init(_ request: String, within limit: TimeAmount) { (self.request, self.limit) = (request, limit) }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        timeout = context.eventLoop.scheduleTask(in: limit) { channel.close(promise: nil) }
        context.writeAndFlush(NIOAny(ByteBuffer(string: request)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { context.close(promise: nil) }
    func channelInactive(context: ChannelHandlerContext) { timeout?.cancel() }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
