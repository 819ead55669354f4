internal import NIOCore
internal import NIOHTTP1
internal import NIOWebSocket
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import Settings
internal import WebRequests
internal import Zones

/// A connection by HTTP: who is at its other end, whatever its requests claim.
final class WebSide {
    var identity: ClientIdentity
    /// Where requests begin that name no zone.
    private(set) weak var zone: Zone?
    /// The form in which it goes on without further requests; `nil` as long as each has its response.
    var stay: Stay?

    enum Stay {
        case socket
        /// Server-sent events.
        case events
    }

    init(_ identity: ClientIdentity, in zone: Zone) { (self.identity, self.zone) = (identity, zone) }
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
        if web?.stay == .events { isAlive() }
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
