internal import Authorization
internal import DequeModule
internal import LineProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import Outputs
internal import ServerRequests
internal import ServerRights
internal import Settings
internal import TextEncodings
internal import WebPage
internal import WebRequests

/// The requests of one connection by HTTP/1, on the event loop that it belongs to: each passes the gate; the connection's
/// dialogue in JSON answers those with messages.
///
/// Requests are answered one after another: while one is, nothing is read, and what has been read already waits. It is taken
/// up in a loop, so that no number of requests that come at once makes the stack deep.
final class WebHandler: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = Never
    typealias OutboundOut = HTTPServerResponsePart

    private enum State {
        /// For the head of a request.
        case waiting
        case receiving(WebIncoming)
        case answering
        /// The last response is sent, and all that still comes is passed over.
        case ending
    }

    private let server: Server
    private let listener: Listener
    private let handshake: HandshakeHandler?
    private let arrivals: WebArrivals
    private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
    private let encoder: HTTPResponseEncoder
    private var connection: Connection?
    private var state = State.waiting
    /// Parts of requests that have come while another one was answered.
    private var parts: Deque<HTTPServerRequestPart> = []
    private var takesParts = false
    /// Whether the channel would read on.
    private var wantsRead = false
    /// Whether the client will ask nothing more.
    private var inputHasEnded = false
    private var waitsForPicture = false
    /// The end of the last response.
    private var lastWritten: EventLoopFuture<Void>?
    private var patience: Scheduled<Void>?

    /// Those of one read are some hundreds; more come only where the client's end is read with all that is before it.
    private static let mostParts = 8_192

    init(
        server: Server,
        at listener: Listener,
        handshake: HandshakeHandler?,
        _ arrivals: WebArrivals,
        _ decoder: ByteToMessageHandler<HTTPRequestDecoder>,
        _ encoder: HTTPResponseEncoder
    ) {
        self.server = server
        self.listener = listener
        self.handshake = handshake
        self.arrivals = arrivals
        self.decoder = decoder
        self.encoder = encoder
    }

    /// Puts the handlers of HTTP before a new connection.
    static func add(
        to pipeline: ChannelPipeline.SynchronousOperations,
        server: Server,
        at listener: Listener,
        handshake: HandshakeHandler?
    ) throws {
        var limits = NIOHTTPDecoderLimitConfiguration()
        limits.maxHeaderFieldSize = WebRequest.mostHeadBytes
        limits.maxHeaderListSize = WebRequest.mostHeadBytes
        let arrivals = WebArrivals()
        let decoder = ByteToMessageHandler(
            HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes, limitConfiguration: limits)
        )
        let encoder = HTTPResponseEncoder()
        let handler = WebHandler(server: server, at: listener, handshake: handshake, arrivals, decoder, encoder)
        try pipeline.addHandlers([arrivals, encoder, decoder, handler])
    }

    // MARK: The connection

    func channelActive(context: ChannelHandlerContext) {
        let (channel, listener, name) = (context.channel, listener, handshake?.name)
        let result = server.assumeIsolated { $0.connectedByWeb(channel, at: listener, as: name) }
        switch result {
        case .success(let connection):
            self.connection = connection.value
            if !channel.isActive { channelInactive(context: context) } else { beginPatience(context) }
        case .failure(let refusal):
            // Those who are not counted do not stay.
            refuseAll(refusal, context)
            context.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        endPatience()
        parts = []
        guard let id = connection?.id else { return }
        connection = nil
        server.assumeIsolated { $0.disconnected(id) }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        if context.channel.isWritable { connection?.becameWritable() }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .inputClosed? = event as? ChannelEvent else { return context.fireUserInboundEventTriggered(event) }
        inputHasEnded = true
        // A reader of events is gone, and so is one who waits for a picture, which may take long to make; all others are
        // answered before.
        if case .ending = state { return context.close(promise: nil) }
        if waitsForPicture { return context.close(promise: nil) }
        if connection?.web?.stay != nil {
            connection?.endInput()
        } else {
            connection?.saidAll()
            takeParts(context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let error = error as? HTTPParserError else { return context.close(promise: nil) }
        switch state {
        case .waiting, .receiving: refuseAll(error == .headerOverflow ? .headTooLarge : .malformed, context)
        case .answering, .ending: context.close(promise: nil)
        }
    }

    /// Refuses what the client may ask, as far as it is known, and ends the connection.
    private func refuseAll(_ refusal: WebRefusal, _ context: ChannelHandlerContext) {
        end(withWhole: refusal.wholeResponse, context)
    }

    /// Sends a response as it is, and ends the connection.
    private func end(withWhole response: String, _ context: ChannelHandlerContext) {
        let channel = context.channel
        // The encoder's way begins with the head of a response, and it would end what has no length.
        let context = try? context.pipeline.syncOperations.context(handler: encoder)
        let buffer = channel.allocator.buffer(string: response)
        guard let written = context?.writeAndFlush(NIOAny(buffer)) else { return channel.close(promise: nil) }
        end(written, channel)
    }

    /// Ends the connection so that the client gets the response even while it still sends.
    private func end(_ written: EventLoopFuture<Void>, _ channel: any Channel) {
        state = .ending
        parts = []
        arrivals.areDropped = true
        endPatience()
        patience = channel.eventLoop.scheduleTask(in: .seconds(Int64(WebRequest.patience))) {
            channel.close(promise: nil)
        }
        let mode = inputHasEnded ? CloseMode.all : .output
        written.whenComplete { _ in channel.close(mode: mode, promise: nil) }
    }

    // MARK: Time

    /// Seconds from the first byte of a request, or from the beginning of the connection, to the request's last one.
    private func beginPatience(_ context: ChannelHandlerContext) {
        guard patience == nil else { return }
        let handler = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        patience = context.eventLoop.scheduleTask(in: .seconds(Int64(WebRequest.patience))) {
            let (handler, context) = handler.value
            handler.refuseAll(.tooSlow, context)
        }
    }

    private func endPatience() {
        patience?.cancel()
        patience = nil
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        switch state {
        case .waiting: if arrivals.hasBegun { beginPatience(context) }
        case .receiving: beginPatience(context)
        case .answering, .ending: break
        }
        context.fireChannelReadComplete()
    }

    // MARK: Requests

    func read(context: ChannelHandlerContext) {
        if case .answering = state { wantsRead = true } else { context.read() }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard parts.count < Self.mostParts else { return context.close(promise: nil) }
        parts.append(unwrapInboundIn(data))
        takeParts(context)
    }

    /// Takes up the parts that have come, up to the end of a request that is not answered at once.
    private func takeParts(_ context: ChannelHandlerContext) {
        guard !takesParts else { return }
        takesParts = true
        while !isAnswering, let part = parts.popFirst() {
            switch part {
            case .head(let head): begin(head, context)
            case .body(let bytes): append(bytes, context)
            case .end: complete(context)
            }
        }
        takesParts = false
        guard !isAnswering, context.channel.isActive else { return }
        if inputHasEnded, case .waiting = state {
            let channel = context.channel
            let written = lastWritten ?? context.eventLoop.makeSucceededVoidFuture()
            written.whenComplete { _ in channel.close(promise: nil) }
        } else if wantsRead {
            wantsRead = false
            context.read()
        }
    }

    private var isAnswering: Bool { if case .answering = state { true } else { false } }

    /// A request has been answered, and the next one may come.
    private func answered(_ written: EventLoopFuture<Void>, _ context: ChannelHandlerContext) {
        state = .waiting
        lastWritten = written
        guard !takesParts else { return }
        // The connection may be in the middle of sending the response.
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (handler, context) = bound.value
            handler.takeParts(context)
            if case .receiving = handler.state { handler.beginPatience(context) }
        }
    }

    private func begin(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        guard case .waiting = state, let connection else { return }
        let incoming = WebIncoming(head, connection.gate(head))
        let admission = incoming.admission
        state = .receiving(incoming)
        let limit = connection.mostMessageBytes(claims: incoming.claims)
        if incoming.isTooLong(limit: limit) { return refuse(.tooLong(limit), incoming, context, keepsAlive: false) }
        if incoming.asksBefore, head.version == .http1_1 {
            if case .failure(let refusal) = admission { return refuse(refusal, incoming, context, keepsAlive: false) }
            let head = HTTPResponseHead(version: .http1_1, status: .continue)
            connection.writer.count(0, context.writeAndFlush(wrapOutboundOut(.head(head))))
        }
    }

    private func append(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
        guard case .receiving(var incoming) = state, let connection else { return }
        state = .waiting
        let limit = connection.mostMessageBytes(claims: incoming.claims)
        let fits = incoming.append(bytes, limit: limit)
        state = .receiving(incoming)
        if !fits { refuse(.tooLong(limit), incoming, context, keepsAlive: false) }
    }

    private func complete(_ context: ChannelHandlerContext) {
        guard case .receiving(let incoming) = state, let connection else { return }
        endPatience()
        arrivals.hasBegun = false
        connection.wasHeard()
        state = .answering
        switch incoming.admission {
        case .failure(let refusal): refuse(refusal, incoming, context, keepsAlive: incoming.keepsAlive)
        case .success(let request): answer(request, incoming, context)
        }
    }

    private func answer(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        if let page = request.page { return sendPage(page.file, page.conditions, incoming, context) }
        switch request.resource {
        case .health: respond(.ok, WebTexts.health, type: "application/json", incoming, context)
        case .call where request.isPreflight: respond(.noContent, "", request.preflightFields(date), incoming, context)
        default: identify(request, incoming, context)
        }
    }

    /// Finds out whose request it is, which may take a moment, and goes on with it.
    private func identify(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        connection?.identify(request) { result in
            let (handler, context) = bound.value
            guard handler.connection != nil, case .answering = handler.state else { return }
            switch result {
            case .failure(let refusal):
                handler.refuse(refusal, incoming, context, keepsAlive: incoming.keepsAlive)
            case .success:
                switch request.resource {
                case .socket: handler.upgrade(request, incoming, context)
                case .cookie: handler.changeCookie(request, incoming, context)
                case .events: handler.tellEvents(request, incoming, context)
                case .call: handler.call(request, incoming, context)
                case .metrics: handler.sendMetrics(request, incoming, context)
                case .stream: handler.sendStream(request, incoming, context)
                case .picked: handler.sendPicked(request, incoming, context)
                default: handler.sendPicture(request, incoming, context)
                }
            }
        }
    }

    // MARK: Messages

    private func call(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        let (channel, date, version) = (context.channel, date, incoming.head.version)
        let isPlain = request.origin == nil && incoming.keepsAlive && version == .http1_1
        let response = WebResponse(
            channel,
            version,
            for: request.origin,
            at: date,
            head: isPlain ? connection?.headOfJSON : nil,
            keepsAlive: incoming.keepsAlive
        ) { [weak self] written, keepsAlive in
            self?.connection?.exchangeEnded()
            if keepsAlive { self?.answered(written, context) } else { self?.end(written, channel) }
        }
        connection?.receive(incoming.line, answeredBy: response)
    }

    private func tellEvents(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        let fields = WebTexts.fields(type: "text/event-stream", request.origin, date)
        connection?.beginEvents(request.watch, WebEvents(context.channel, incoming.head.version, fields))
    }

    private func sendPicture(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        guard let connection, let picture = request.picture else { return }
        let fields = WebTexts.fields(type: "application/octet-stream", request.origin, date)
        let (channel, keepsAlive) = (context.channel, incoming.keepsAlive)
        waitsForPicture = true
        let response = WebPicture(channel, incoming.head, picture, fields, keepsAlive: keepsAlive) {
            [weak self] result in self?.fileEnded(result, request, incoming, context)
        }
        connection.sendPicture(picture, answeredBy: response)
    }

    private func sendPicked(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        guard let picked = request.picked else { return }
        let fields = WebTexts.fields(type: "application/octet-stream", request.origin, date)
        let response = WebPicked(context.channel, incoming.head, picked, fields, keepsAlive: incoming.keepsAlive) {
            [weak self] response, offset, count in
            self?.connection?.loadPicked(picked.handle, at: offset, count, answeredBy: response)
        } ended: { [weak self] result in
            self?.fileEnded(result, request, incoming, context)
        }
        response.begin()
    }

    /// The response with a file is sent, or there is none.
    private func fileEnded(
        _ result: Result<EventLoopFuture<Void>, WebRefusal>,
        _ request: WebRequest,
        _ incoming: WebIncoming,
        _ context: ChannelHandlerContext
    ) {
        waitsForPicture = false
        switch result {
        case .success(let written):
            connection?.exchangeEnded()
            if incoming.keepsAlive { answered(written, context) } else { end(written, context.channel) }
        case .failure(let refusal): refuseCommand(refusal, of: request, incoming, context)
        }
    }

    private func sendPage(
        _ file: PageFile,
        _ conditions: RequestConditions,
        _ incoming: WebIncoming,
        _ context: ChannelHandlerContext
    ) {
        let isCompressed = ContentCoding.takesGzip(incoming.head)
        var fields = WebTexts.pageFields(file, isCompressed: isCompressed, date)
        if conditions.isKnown(PageFile.tag(isCompressed: isCompressed)) {
            fields.remove(name: "Content-Type")
            return respond(.notModified, [], fields, incoming, context)
        }
        if isCompressed { fields.add(name: "Content-Encoding", value: "gzip") }
        respond(.ok, file.body(isCompressed: isCompressed), fields, incoming, context)
    }

    /// Gives the page's browser the cookie of the client that an invitation is for, or takes its cookie.
    private func changeCookie(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        let isSecure = request.pageOrigin?.isSecure == true
        let bound = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        if request.method == .DELETE {
            connection?.signOut {
                let (handler, context) = bound.value
                guard handler.connection != nil, case .answering = handler.state else { return }
                handler.connection?.exchangeEnded()
                var fields = WebTexts.fields(type: "", nil, handler.date)
                fields.remove(name: "Content-Type")
                fields.add(name: "Set-Cookie", value: ClientCookie.endField(isSecure: isSecure))
                handler.respond(.noContent, [], fields, incoming, context)
            }
            return
        }
        guard let message = try? JSON(parsing: Array(incoming.body.readableBytesView)),
            let invitation = message["invitation"]?.string
        else {
            let refusal = WebRefusal(.badRequest, "The body is {\"invitation\": \"…\"}.")
            return refuseCommand(refusal, of: request, incoming, context)
        }
        connection?.redeem(invitation) { result in
            let (handler, context) = bound.value
            guard handler.connection != nil, case .answering = handler.state else { return }
            switch result {
            case .failure(let refusal): handler.refuseCommand(refusal, of: request, incoming, context)
            case .success(let cookie):
                handler.connection?.exchangeEnded()
                var fields = WebTexts.fields(type: "application/json", nil, handler.date)
                fields.add(name: "Set-Cookie", value: cookie.field(isSecure: isSecure))
                handler.respond(.ok, "{\"name\":\"\(cookie.name.text)\"}\n", fields, incoming, context)
            }
        }
    }

    private func sendMetrics(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        connection?.sendMetrics { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let text):
                connection?.exchangeEnded()
                respond(.ok, text, type: MetricsText.contentType, incoming, context, mayBeCompressed: true)
            case .failure(let refusal): refuseCommand(refusal, of: request, incoming, context)
            }
        }
    }

    private func sendStream(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        guard let connection, let asked = request.stream else { return }
        let withTitles = asked.withTitles && connection.mayKnowTitles
        let stream: any SharedStream
        do throws(WebRefusal) {
            stream = try connection.stream(asked)
        } catch {
            return refuseCommand(error, of: request, incoming, context)
        }
        var fields = WebTexts.fields(type: "", request.origin, date)
        for field in stream.fields(withTitles: withTitles) {
            fields.replaceOrAdd(name: field.name, value: field.value)
        }
        fields.add(name: "Connection", value: "close")
        if incoming.head.method == .HEAD {
            connection.exchangeEnded()
            let lines = fields.map { "\($0.name): \($0.value)\r\n" }.joined()
            return end(withWhole: "HTTP/1.1 200 OK\r\n\(lines)\r\n", context)
        }
        let head = HTTPResponseHead(version: incoming.head.version, status: .ok, headers: fields)
        let response = WebStream(stream, of: connection.zone, context.channel, head) { [weak connection] bytes in
            connection?.wasHeard()
            connection?.sent(bytes)
        } full: { [weak self] in
            self?.connection?.web?.stay = nil
            self?.refuse(.noPlaceToListen, incoming, context, keepsAlive: false)
        }
        connection.beginStream(withTitles: withTitles, answeredBy: response)
    }

    /// Tells why the command that a request is for was not carried out.
    private func refuseCommand(
        _ refusal: WebRefusal,
        of request: WebRequest,
        _ incoming: WebIncoming,
        _ context: ChannelHandlerContext
    ) {
        // Whoever lacks something for a while only is not to find another way in.
        let isRestricted = connection?.client.rights.isRestricted == true
        connection?.exchangeEnded()
        let isUnknown =
            refusal.status == .forbidden && request.claim == nil
            && request.ticket == nil && request.cookie == nil && !isRestricted
        refuse(isUnknown ? .secretRequired : refusal, incoming, context, keepsAlive: incoming.keepsAlive)
    }

    // MARK: WebSockets

    private func upgrade(_ request: WebRequest, _ incoming: WebIncoming, _ context: ChannelHandlerContext) {
        guard let connection else { return }
        self.connection = nil
        let channel = context.channel
        let pipeline = context.pipeline.syncOperations
        let frames = WebSocketFrameDecoder(maxFrameSize: connection.mostMessageBytes(claims: true))
        let handlers: [any ChannelHandler] = [
            ByteToMessageHandler(frames), WebSocketHandler(server: server, connection),
        ]
        do { try pipeline.addHandlers(handlers, position: .after(self)) } catch { return channel.close(promise: nil) }
        for handler in [arrivals, encoder, self] as [any RemovableChannelHandler] {
            pipeline.removeHandler(handler).whenFailure { _ in channel.close(promise: nil) }
        }
        connection.speakWebSocket(WebTexts.upgrade(incoming.head, cookie: connection.renewedCookie(request)))
        // Frames that have come with the request go on to the decoder of frames.
        pipeline.removeHandler(decoder).whenComplete { result in
            guard case .success = result else { return channel.close(promise: nil) }
            channel.read()
        }
    }

    // MARK: Short responses

    private var date: String { connection?.date ?? "" }

    private func refuse(
        _ refusal: WebRefusal,
        _ incoming: WebIncoming,
        _ context: ChannelHandlerContext,
        keepsAlive: Bool
    ) {
        let origin = (try? incoming.admission.get())?.origin
        var fields = WebTexts.fields(type: "text/plain; charset=utf-8", origin, date)
        for field in refusal.fields { fields.replaceOrAdd(name: field.name, value: field.value) }
        respond(refusal.status, refusal.text + "\n", fields, incoming, context, keepsAlive: keepsAlive)
    }

    private func respond(
        _ status: HTTPResponseStatus,
        _ text: String,
        type: String = "text/plain; charset=utf-8",
        _ incoming: WebIncoming,
        _ context: ChannelHandlerContext,
        mayBeCompressed: Bool = false
    ) {
        var fields = WebTexts.fields(type: type, nil, date)
        guard mayBeCompressed else { return respond(status, text, fields, incoming, context) }
        fields.add(name: "Vary", value: "Accept-Encoding")
        let bytes = Array(text.utf8)
        guard bytes.count >= ContentCoding.fewestBytes, ContentCoding.takesGzip(incoming.head),
            let compressed = ContentCoding.gzip(bytes)
        else { return respond(status, bytes, fields, incoming, context) }
        fields.add(name: "Content-Encoding", value: "gzip")
        respond(status, compressed, fields, incoming, context)
    }

    private func respond(
        _ status: HTTPResponseStatus,
        _ text: String,
        _ fields: HTTPHeaders,
        _ incoming: WebIncoming,
        _ context: ChannelHandlerContext,
        keepsAlive: Bool? = nil
    ) {
        respond(status, Array(text.utf8), fields, incoming, context, keepsAlive: keepsAlive)
    }

    private func respond(
        _ status: HTTPResponseStatus,
        _ body: [UInt8],
        _ fields: HTTPHeaders,
        _ incoming: WebIncoming,
        _ context: ChannelHandlerContext,
        keepsAlive: Bool? = nil
    ) {
        let keepsAlive = keepsAlive ?? incoming.keepsAlive
        var fields = fields
        if ![.noContent, .notModified].contains(status) { fields.add(name: "Content-Length", value: "\(body.count)") }
        let isOld = incoming.head.version != .http1_1
        if !keepsAlive || isOld { fields.add(name: "Connection", value: keepsAlive ? "keep-alive" : "close") }
        let head = HTTPResponseHead(version: incoming.head.version, status: status, headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if incoming.head.method != .HEAD, !body.isEmpty {
            let body = context.channel.allocator.buffer(bytes: body)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        connection?.writer.count(0, written)
        if keepsAlive { answered(written, context) } else { end(written, context.channel) }
    }
}

/// Knows whether bytes of a request have come.
///
/// It stands before the decoder, which does not tell of a head that is not complete.
final class WebArrivals: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Set back by those who have the whole request.
    var hasBegun = false
    /// Whether what comes is of no use to anybody.
    var areDropped = false

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if areDropped { return }
        hasBegun = true
        context.fireChannelRead(data)
    }
}
