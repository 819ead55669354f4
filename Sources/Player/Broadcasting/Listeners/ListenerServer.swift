internal import AudioTypes
internal import NIOCore
internal import Synchronization

/// The listeners of one stream.
///
/// Belongs to its event loop.
final class ListenerServer {
    let settings: HTTPStreamSettings
    private(set) var recent: RecentPackets
    /// The current title's block, and how many titles there were.
    private(set) var title = ByteBuffer(bytes: ICYTitle.block(""))
    private(set) var titleNumber = 0
    private(set) var limit: Int
    /// In the order in which they came.
    private var listeners: [any PacketReader] = []
    private var connections: [ObjectIdentifier: StreamListener] = [:]
    /// Connections whose requests are not complete, in the order in which they came.
    private var halfOpen: [StreamListener] = []
    private let counts: ListenerCounts
    private var demand: (@Sendable (StreamDemand) -> Void)?

    /// Connections at most whose requests are not complete, in all and of one address.
    private static let mostHalfOpen = 64
    private static let mostHalfOpenOfAddress = 16
    /// Bytes of the stream that are kept at most.
    private static let mostBytes = 2 << 20
    /// Seconds of sound that a newcomer gets at once.
    static let burst = 2.0

    init(_ settings: HTTPStreamSettings, _ counts: ListenerCounts) {
        self.settings = settings
        recent = RecentPackets(seconds: settings.keptTime, bytes: Self.mostBytes)
        self.counts = counts
        limit = settings.maxListeners
    }

    // MARK: The stream

    func open(_ demand: @escaping @Sendable (StreamDemand) -> Void) {
        self.demand = demand
        demand(listeners.isEmpty ? .none : .wanted)
    }

    func send(_ packet: RecentPackets.Packet) {
        guard packet.bytes.readableBytes > 0, !listeners.isEmpty else { return }
        recent.append(packet)
        for listener in listeners { listener.pump() }
    }

    func show(_ text: String) {
        title = ByteBuffer(bytes: ICYTitle.block(text))
        titleNumber += 1
    }

    // MARK: Connections

    /// Takes a connection, whose request is to come; where too many keep theirs waiting, the oldest of them gives way.
    func connected(_ listener: StreamListener) {
        let neighbours = halfOpen.filter { $0.address == listener.address }
        if neighbours.count >= Self.mostHalfOpenOfAddress {
            neighbours.first?.giveWay()
        } else if halfOpen.count >= Self.mostHalfOpen {
            halfOpen.first?.giveWay()
        }
        connections[ObjectIdentifier(listener)] = listener
        halfOpen.append(listener)
    }

    /// A connection's request is complete, or will not be.
    func requestEnded(of listener: StreamListener) { halfOpen.removeAll { $0 === listener } }

    func disconnected(_ listener: StreamListener) {
        requestEnded(of: listener)
        connections[ObjectIdentifier(listener)] = nil
        left(listener)
    }

    /// One of those who listened, or would have, is gone.
    func left(_ listener: any PacketReader) {
        guard let index = listeners.firstIndex(where: { $0 === listener }) else { return }
        listeners.remove(at: index)
        count()
        if listeners.isEmpty { end() }
    }

    /// Adds a listener, if there is room.
    ///
    /// - Returns: The number of its first packet.
    func admit(_ listener: any PacketReader) -> Int? {
        guard listeners.count < limit else { return nil }
        listeners.append(listener)
        count()
        if listeners.count == 1 { demand?(.wanted) }
        return recent.number(before: Self.burst)
    }

    /// Changes how many may listen; the last who came leave where there are more.
    func setLimit(_ limit: Int) {
        self.limit = limit
        counts.limit.withLock { $0 = limit }
        for listener in listeners.dropFirst(limit) { listener.close() }
    }

    /// Whether one who comes from an address may listen.
    func mayListen(from address: IPAddress?) -> Bool {
        counts.refused.withLock { refused in refused.isEmpty || !(address.map(refused.contains) ?? false) }
    }

    /// Closes the connections of those who may listen no longer.
    func closeRefused() {
        for connection in connections.values where !mayListen(from: connection.origin) { connection.close() }
    }

    func closeAll() {
        for connection in Array(connections.values) { connection.close() }
        for listener in listeners { listener.close() }
    }

    private func end() {
        demand?(.none)
        // The next listener is not to hear what was played before.
        recent.clear()
    }

    private func count() {
        let before = counts.listeners.withLock { [count = listeners.count] current in
            defer { current = count }
            return current
        }
        if listeners.count != before { counts.changed.withLock { $0 }?() }
    }
}

/// One who listens to a stream.
protocol PacketReader: AnyObject {
    /// Sends the packets that are due, as far as the listener takes them.
    func pump()
    func close()
}

/// How many listen and who may not, for other threads.
final class ListenerCounts: Sendable {
    let listeners = Mutex(0)
    let limit: Mutex<Int>
    /// The addresses whose listeners are refused.
    let refused = Mutex<Set<IPAddress>>([])
    /// Called when another number listens.
    let changed = Mutex<(@Sendable () -> Void)?>(nil)
    init(limit: Int) { self.limit = Mutex(limit) }
}
