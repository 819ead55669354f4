internal import AudioTypes
internal import Files
internal import Glibc
private import Synchronization
internal import Threads

/// The purpose of a connection.
package struct BusPlan: Sendable, Hashable {
    package let address: BusAddress
    /// The names that it asks for, until it gets one; none is asked for where there are none.
    package let names: [String]
    /// The signals that it wants, as match rules (D-Bus Specification, "Match Rules").
    package let matches: [String]

    package init(_ address: BusAddress, names: [String] = [], matches: [String] = []) {
        self.address = address
        self.names = names
        self.matches = matches
    }
}

/// Handles a connection's messages; called on the bus's thread, and must not block.
package protocol BusPeer: AnyObject, Sendable {
    /// Another program calls a method; the answer may be given at any time.
    func receive(_ call: MethodCall, _ answer: BusAnswer)
    func receive(_ signal: BusSignal)
    /// The connection stands, under a name if one was asked for.
    func connected(as name: String?)
    /// There is no bus now; it is looked for again.
    func disconnected(_ reason: String)
}

extension BusPeer {
    package func receive(_ call: MethodCall, _ answer: BusAnswer) { answer(.failure(.unknownMethod(call.member))) }
    package func receive(_ signal: BusSignal) {}
    package func connected(as name: String?) {}
    package func disconnected(_ reason: String) {}
}

/// Answers one call; only the first answer counts.
package struct BusAnswer: Sendable {
    let connection: BusConnection
    let call: Int

    package func callAsFunction(_ result: Result<[BusValue], BusError>) {
        connection.post { [call] in $0.answer(call, result) }
    }
}

/// The thread that serves all connections to message buses (*segue-dbus*).
///
/// It sleeps until something comes or is to be sent, starts with the first connection, and ends with the last one.
package final class BusThread: Sendable {
    typealias Work = @Sendable (BusLink) -> Void

    fileprivate enum Order: Sendable {
        case open(BusConnection, BusPlan, any BusPeer)
        case work(Int, Work)
        case close(Int, then: @Sendable () -> Void)
    }

    private struct State {
        var orders: [Order] = []
        var isRunning = false
        var nextNumber = 0
    }

    private let state = Mutex(State())
    private let wake = Interrupt()

    package init() {}

    /// Opens a connection, and opens it again whenever it is lost.
    package func connect(_ plan: BusPlan, _ peer: any BusPeer) -> BusConnection {
        let number = state.withLock { state in
            state.nextNumber += 1
            return state.nextNumber
        }
        let connection = BusConnection(thread: self, number: number)
        post(.open(connection, plan, peer))
        return connection
    }

    fileprivate func post(_ order: Order) {
        let mustStart = state.withLock { state in
            state.orders.append(order)
            defer { state.isRunning = true }
            return !state.isRunning
        }
        if mustStart {
            WorkThread.startWhenPossible(named: "segue-dbus") { [self] in run() }
        } else {
            wake.raise()
        }
    }

    // MARK: The thread

    private func run() {
        var links: [Int: BusLink] = [:]
        while let orders = take(hasLinks: !links.isEmpty) {
            for order in orders { carryOut(order, on: &links) }
            wait(for: links.values.map { $0.prepare() })
            for link in links.values { link.process() }
        }
    }

    /// - Returns: `nil` when nothing is left to do, and the thread ends.
    private func take(hasLinks: Bool) -> [Order]? {
        wake.lowerAll()
        return state.withLock { state in
            defer { state.orders = [] }
            if state.orders.isEmpty, !hasLinks {
                state.isRunning = false
                return nil
            }
            return state.orders
        }
    }

    private func carryOut(_ order: Order, on links: inout [Int: BusLink]) {
        switch order {
        case .open(let connection, let plan, let peer):
            links[connection.number] = BusLink(connection, plan, peer)
        case .work(let number, let work): if let link = links[number] { work(link) }
        case .close(let number, let then):
            links[number] = nil
            then()
        }
    }

    private func wait(for needs: [(event: Readiness, deadline: HostTime?)]) {
        Readiness.wait(
            for: needs.map(\.event) + [.readable(wake.descriptor)],
            until: needs.compactMap(\.deadline).min()
        )
    }
}

/// A connection to a bus; may be used from any thread, and never blocks.
package final class BusConnection: Sendable {
    private let thread: BusThread
    let number: Int

    init(thread: BusThread, number: Int) {
        self.thread = thread
        self.number = number
    }

    /// Emits signals, in order; they are lost while there is no bus.
    package func emit(_ signals: [BusSignal]) {
        if !signals.isEmpty { post { $0.emit(signals) } }
    }

    /// Calls a method of another program.
    ///
    /// - Parameter then: Called on the bus's thread, once.
    package func call(
        _ call: MethodCall,
        then: @escaping @Sendable (Result<[BusValue], BusError>) -> Void = { _ in }
    ) {
        post { $0.call(call, then: then) }
    }

    /// Looks for a bus that was not there before, unless that was done just now.
    package func lookAgain() { post { $0.lookAgain() } }

    /// Closes the connection, which gives its name back.
    package func close() { thread.post(.close(number) {}) }

    /// Closes the connection, and returns when all that was to be sent before is sent: a process may end then.
    package func finish() async {
        await withCheckedContinuation { done in thread.post(.close(number) { done.resume() }) }
    }

    func post(_ work: @escaping BusThread.Work) { thread.post(.work(number, work)) }
}
