internal import AudioTypes
internal import Authorization
internal import LineProtocol
internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import OutputGroups
internal import Outputs
internal import Playlists
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import Settings
internal import Songs
internal import WebRequests
internal import Zones

/// A connection by HTTP: who is at its other end, whatever its requests claim.
final class WebSide {
    var identity: ClientIdentity
    /// Where requests begin that name no zone.
    private(set) weak var zone: Zone?
    /// The form in which it goes on without further requests; `nil` as long as each has its response.
    var stay: Stay? { didSet { passed = nil } }
    /// This machine's address in the connection; `nil` for a Unix socket.
    let server: IPAddress?
    /// The last request that has passed the gate: clients send the same head again and again.
    var passed: PassedRequest?

    enum Stay {
        case socket
        /// Server-sent events.
        case events
        /// The stream of an output.
        case stream(WebStream)
    }

    init(_ identity: ClientIdentity, in zone: Zone, at server: IPAddress?) {
        (self.identity, self.zone, self.server) = (identity, zone, server)
    }
}

extension Connection {
    /// Lets a request pass, or tells why not.
    func gate(_ head: HTTPRequestHead) -> Result<WebRequest, WebRefusal> {
        Result { () throws(WebRefusal) in try owner.delegate.admit(head, for: self) }
    }

    /// Finds out whose a request is, and lets the client be that one.
    ///
    /// - Parameter then: Called at once, or when a secret has been checked.
    func identify(_ request: WebRequest, then: @escaping (Result<Void, WebRefusal>) -> Void) {
        owner.delegate.identify(request, for: self, then: then)
    }

    /// Makes the browser the client that an invitation is for.
    func redeem(_ secret: String, then: @escaping (Result<ClientCookie, WebRefusal>) -> Void) {
        owner.delegate.redeem(secret, for: self, then: then)
    }

    /// Takes the token from the client that the browser is.
    func signOut(then: @escaping () -> Void) { owner.delegate.signOut(self, then: then) }

    /// The field `Set-Cookie` that goes with the beginning of a WebSocket: the browser keeps the cookie longer, or forgets one
    /// that proves nothing any more.
    func renewedCookie(_ request: WebRequest) -> String? {
        guard let cookie = request.cookie, request.claim == nil else { return nil }
        let isSecure = request.pageOrigin?.isSecure == true
        let isValid = client.identity.login?.name == cookie.name
        return isValid ? cookie.field(isSecure: isSecure) : ClientCookie.endField(isSecure: isSecure)
    }

    /// The time, as responses tell it.
    var date: String { owner.date.text(at: Int(saturating: owner.common.clock.now)) }

    /// The head of a response in JSON, up to the length of its body.
    var headOfJSON: [UInt8] { owner.headOfJSON.bytes(at: date) }

    /// How long a message may be, in bytes.
    ///
    /// - Parameter claims: Whether it says whose it is.
    func mostMessageBytes(claims: Bool = false) -> Int {
        let mayDoNothing = client.permissions.isEmpty && !claims
        return RequestLimits(owner.common.configuration.value.limits, mayDoNothing: mayDoNothing).line.value
    }

    /// Tells values as events, from now on.
    func beginEvents(_ request: WebRequest.Watch, _ events: WebEvents) {
        web?.stay = .events
        receive(WebEvents.message(request), answeredBy: events)
        owner.delegate.webPings.watch()
    }

    /// Has a picture made and sends it, as the command `artwork` does.
    func sendPicture(_ picture: PictureRequest, answeredBy response: WebPicture) {
        let subject = picture.subject
        // Without a song that plays, a client without rights is told of these, and others that there is no such song.
        let uri = subject?.uri ?? client.zone.queue.currentEntry?.song.uri ?? ""
        let arguments = [subject?.type ?? "song", uri, picture.size, "0", picture.format]
        client.binaryLimit = .max
        carryOut(RequestLine(command: "artwork", arguments: arguments), answeredBy: response)
    }

    /// Reads a piece of a picked item, as the command `picker load` does.
    ///
    /// - Parameter count: Bytes at most.
    func loadPicked(_ handle: String, at offset: Int, _ count: Int, answeredBy response: WebPicked) {
        wasHeard()
        client.binaryLimit = count
        carryOut(RequestLine(command: "picker", arguments: ["load", handle, "\(offset)"]), answeredBy: response)
    }

    /// The stream that an output of the client's zone makes.
    ///
    /// - Throws: Why the client does not get it.
    func stream(_ request: StreamRequest) throws(WebRefusal) -> any SharedStream {
        guard client.permissions.contains(.read) else {
            throw WebRefusal(.forbidden, "You have no right to listen in this zone.")
        }
        let streams = streams(of: client.zone)
        guard let stream = streams.first(where: { $0.fileExtension == request.fileExtension }) else {
            let others = Set(streams.map { "." + $0.fileExtension }).sorted().joined(separator: ", ")
            let hint = others.isEmpty ? "an output of type \"httpd\" makes them" : "there is \(others)"
            throw WebRefusal(.notFound, "The zone has no stream of that kind; \(hint).")
        }
        return stream
    }

    /// Whether the client may know which songs it hears, also those to come: its library is not limited.
    var mayKnowTitles: Bool { client.rights.limits.library == nil }

    /// Those that outputs of a zone make now.
    private func streams(of zone: Zone) -> [any SharedStream] { owner.common.rooms[zone]?.outputs.sharedStreams ?? [] }

    /// Sends a stream, from now on.
    func beginStream(withTitles: Bool, answeredBy response: WebStream) {
        web?.stay = .stream(response)
        writer.begin(response)
        response.begin(withTitles: withTitles)
    }

    /// Ends a stream that the client may not hear any more, or not with titles, or whose output plays what another zone does
    /// by now.
    func checkStream() {
        guard case .stream(let response)? = web?.stay else { return }
        let mayListen = client.rights.permissions(in: response.zone.name).contains(.read)
        let isThere = streams(of: response.zone).contains { $0 === response.stream }
        let mayBeTold = mayKnowTitles || !response.withTitles
        if !mayListen || !isThere || !mayBeTold { response.closeWhenEnded() }
    }

    /// Tells the server's figures.
    func sendMetrics(then: @escaping (Result<String, WebRefusal>) -> Void) {
        let response = WebLines(channel) { [weak self] result in
            guard let self else { return }
            switch result {
            case .success(let stats): then(.success(owner.delegate.metrics(for: self, stats)))
            case .failure(let refusal): then(.failure(WebRefusal(refusal)))
            }
        }
        carryOut(RequestLine(command: "stats"), answeredBy: response)
    }

    /// The protocol that the client speaks now, one of ``protocolNames``.
    var protocolName: String {
        switch web?.stay {
        case .socket?: "websocket"
        case .events?: "events"
        case .stream?: "stream"
        case nil: web != nil ? "http" : speaksJSON ? "json" : "mpd"
        }
    }

    static let protocolNames = ["mpd", "json", "http", "websocket", "events", "stream"]

    // MARK: Signs of life

    /// A WebSocket has been heard, by a ping of its own or as an answer to one.
    func isAlive() {
        // A client without rights has to ask for something.
        if !client.permissions.isEmpty { wasHeard() }
    }

    func answerPing(_ payload: [UInt8]) {
        isAlive()
        if channel.isWritable { writer.send(WebSocketFraming.control(.pong, payload)) }
    }

    /// Asks one that was silent for a sign of life, or ends it where it has given none.
    func askForLife(after silence: TimeAmount) {
        let now = owner.common.loop.now
        // The timer may be early by a little.
        let silence = silence - .seconds(1)
        if now - lastHeard > silence + silence { return close() }
        guard now - lastHeard > silence, channel.isWritable else { return }
        writer.ping()
        // Those who are sent events answer nothing; that they take what they are sent is a sign.
        if case .events? = web?.stay { isAlive() }
    }
}

/// Asks WebSockets and readers of events for signs of life: one timer for all, which runs while there are any.
final class WebPings {
    private let connections: ConnectionRegistry
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var timer: Scheduled<Void>?

    private static let interval = TimeAmount.seconds(30)

    init(_ connections: ConnectionRegistry, loop: any EventLoop) { (self.connections, self.loop) = (connections, loop) }

    /// Begins, unless it has begun.
    func watch() {
        guard timer == nil else { return }
        timer = loop.scheduleTask(in: Self.interval) { [onLoop] in onLoop { $0.ask() } }
    }

    private func ask() {
        timer = nil
        let clients = connections.all.compactMap { $0 as? Connection }.filter { $0.web?.stay != nil }
        for client in clients { client.askForLife(after: Self.interval) }
        if !clients.isEmpty { watch() }
    }
}
