import Files
import Glibc
import ProtocolClient
import Synchronization
import Threads

/// Takes part in the arbitration of a sink, if a segued runs on this machine.
///
/// All requests are made on a thread of its own. Without a server, or when it goes away, everything is permitted.
final class Arbitration: Sendable {
    enum Event: Sendable, Hashable {
        /// Another program has taken over; its name, if known.
        case interrupted(by: String?)
        /// The interruption has ended.
        case ended(resumes: Bool)
        /// The gain in dB to apply; 0 ends the duck.
        case ducked(decibels: Double)
        /// Activation was refused, for the server's reason.
        case refused(String)
    }

    enum Verdict: Sendable, Hashable {
        case admitted
        /// The reason follows as an event.
        case refused
        /// The server has not answered in time.
        case unanswered
    }

    fileprivate enum Order: Sendable {
        case activate(Answer)
        case playing(Bool)
        case spoken(Bool)
        case leave(notifies: Bool, Answer)
    }

    private struct State: Sendable {
        var orders: [Order] = []
        var isAlone = false
        var isActive = false
    }

    private let state = Mutex(State())
    /// A byte written here wakes the thread.
    private let bell: Int32
    private let handler: @Sendable (Event) -> Void

    /// Starts to look for a server; returns at once.
    ///
    /// - Parameters:
    ///   - sink: The sink in use; `nil` is the sound server's default.
    ///   - isSpoken: Whether it is speech, which is paused for prompts rather than ducked.
    ///   - handler: Called on the thread.
    init?(name: String, sink: String?, isSpoken: Bool, handler: @escaping @Sendable (Event) -> Void) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return nil }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        bell = ends[1]
        self.handler = handler
        let bell = ends[0]
        WorkThread.startWhenPossible(named: "segue-session") { [self] in
            defer { close(bell) }
            var member = ArbitrationMember(name: name, sink: sink, isSpoken: isSpoken, bell: bell)
            try? member.takePart(self)
            endAlone()
        }
    }

    deinit { close(bell) }

    // MARK: Requests of the player

    /// Whether the session is active, or there is no server.
    var isActive: Bool { state.withLock { $0.isActive || $0.isAlone } }

    /// Requests activation; other sessions are interrupted or ducked by the rules.
    func activate(within seconds: Double) async -> Verdict {
        await answer(within: seconds) { .activate($0) }
    }

    /// Reports whether sound is played.
    func setPlaying(_ isPlaying: Bool) { post(.playing(isPlaying)) }

    func setSpoken(_ isSpoken: Bool) { post(.spoken(isSpoken)) }

    /// Leaves the arbitration.
    ///
    /// - Parameter notifies: Whether interrupted sessions are told to resume.
    func leave(notifies: Bool) async {
        _ = await answer(within: 0.5) { .leave(notifies: notifies, $0) }
    }

    private func answer(within seconds: Double, _ order: (Answer) -> Order) async -> Verdict {
        await withCheckedContinuation { continuation in
            let answer = Answer(continuation)
            post(order(answer))
            Task {
                try? await Task.sleep(for: .seconds(saturating: seconds), clock: .continuous)
                answer.give(.unanswered)
            }
        }
    }

    private func post(_ order: Order) {
        let isAlone = state.withLock { state in
            if !state.isAlone { state.orders.append(order) }
            return state.isAlone
        }
        if isAlone { order.answer?.give(.admitted) } else { TextOutput(number: bell).write("!") }
    }

    // MARK: Called by the thread

    fileprivate func takeOrders() -> [Order] {
        state.withLock { state in
            defer { state.orders = [] }
            return state.orders
        }
    }

    fileprivate func setActive(_ isActive: Bool) { state.withLock { $0.isActive = isActive } }

    fileprivate func tell(_ event: Event) { handler(event) }

    private func endAlone() {
        let orders = state.withLock { state in
            state.isAlone = true
            defer { state.orders = [] }
            return state.orders
        }
        for order in orders { order.answer?.give(.admitted) }
    }
}

/// A pending answer; the first one counts.
private final class Answer: Sendable {
    private let continuation: Mutex<CheckedContinuation<Arbitration.Verdict, Never>?>

    init(_ continuation: CheckedContinuation<Arbitration.Verdict, Never>) { self.continuation = Mutex(continuation) }

    /// - Returns: Whether the caller was still waiting.
    @discardableResult
    func give(_ verdict: Arbitration.Verdict) -> Bool {
        let waiting = continuation.withLock { $0.take() }
        waiting?.resume(returning: verdict)
        return waiting != nil
    }
}

extension Arbitration.Order {
    fileprivate var answer: Answer? {
        switch self {
        case .activate(let answer), .leave(_, let answer): answer
        case .playing, .spoken: nil
        }
    }
}

/// The thread's side: a session on a connection.
private struct ArbitrationMember {
    let name: String
    let sink: String?
    var isSpoken: Bool
    let bell: Int32
    private var cursor = SessionEventCursor()
    private var session = ""
    /// Whether the session is active, as far as the server's answers and events tell.
    private var isActive = false
    /// The last report of the player.
    private var isPlaying = false

    init(name: String, sink: String?, isSpoken: Bool, bell: Int32) {
        self.name = name
        self.sink = sink
        self.isSpoken = isSpoken
        self.bell = bell
    }

    /// Returns when the owner has left; throws when there is no server, or it is lost.
    mutating func takePart(_ owner: Arbitration) throws(RemoteError) {
        let limits = PatienceLimits(connecting: 1, answering: 10)
        let connection = try RemoteConnection.open(LocalServer.choice, limits: limits)
        _ = try cursor.fetch(connection)
        session = try connection.run("session", "open", name, "sink", sink ?? "default")["session"] ?? ""
        for request in setUp { try connection.run(request) }
        while true {
            for order in owner.takeOrders() {
                guard try obey(order, connection, owner) else { return }
            }
            try look(connection, owner)
            try connection.beginIdle(["session"])
            if wait(connection) { try connection.cancelIdle() } else { _ = try connection.endIdle() }
        }
    }

    /// Waits for orders or changes.
    ///
    /// - Returns: Whether there are orders.
    private func wait(_ connection: RemoteConnection) -> Bool {
        let ready = Readiness.wait(for: [.readable(bell), .readable(connection.descriptor)])
        guard ready[0] else { return false }
        var bytes = [UInt8](repeating: 0, count: 64)
        _ = unsafe read(bell, &bytes, bytes.count)
        return true
    }

    private var category: Request {
        Request("session", ["category", session, "playback"] + (isSpoken ? ["mode", "spokenAudio"] : []))
    }

    /// The requests that make the session the player's.
    ///
    /// The player itself does what is to be done when the sink is gone, by `--when-lost`.
    private var setUp: [Request] {
        [category, Request("session", ["prefer", session, "interruptionOnRouteDisconnect", "0"])]
    }

    /// Makes a request that is refused while the session is not active or the sound server is gone.
    ///
    /// Tells the server a request that is told again when the session is set up again.
    private func report(_ request: Request, _ connection: RemoteConnection) throws(RemoteError) {
        do { try connection.run(request) } catch .refused {}
    }

    private func reportPlaying(_ connection: RemoteConnection) throws(RemoteError) {
        try report(Request("session", ["playing", session, isPlaying ? "1" : "0"]), connection)
    }

    private mutating func setActive(_ isActive: Bool, _ owner: Arbitration) {
        self.isActive = isActive
        owner.setActive(isActive)
    }

    /// Sets the session up again after the sound server has come back: it is inactive then, and as it was opened.
    private mutating func setUpAgain(_ connection: RemoteConnection, _ owner: Arbitration) throws(RemoteError) {
        for request in setUp { try report(request, connection) }
        guard isActive else { return }
        do {
            try connection.run("session", "activate", session)
            try reportPlaying(connection)
        } catch .refused(let refusal) {
            setActive(false, owner)
            owner.tell(.refused(refusal.text))
        }
    }

    /// - Returns: Whether to continue.
    private mutating func obey(
        _ order: Arbitration.Order,
        _ connection: RemoteConnection,
        _ owner: Arbitration
    ) throws(RemoteError) -> Bool {
        switch order {
        case .activate(let answer):
            do {
                try connection.run("session", "activate", session)
                setActive(true, owner)
                answer.give(.admitted)
            } catch .refused(let refusal) {
                answer.give(.refused)
                owner.tell(.refused(refusal.text))
            }
        case .playing(let isPlaying):
            self.isPlaying = isPlaying
            try reportPlaying(connection)
        case .spoken(let isSpoken):
            guard self.isSpoken != isSpoken else { break }
            self.isSpoken = isSpoken
            try report(category, connection)
        case .leave(let notifies, let answer):
            let words = ["deactivate", session] + (notifies ? ["notifyothers"] : [])
            do {
                try connection.run(Request("session", words))
            } catch .refused {
                // It was not active.
            }
            setActive(false, owner)
            answer.give(.admitted)
            return false
        }
        return true
    }

    private mutating func look(_ connection: RemoteConnection, _ owner: Arbitration) throws(RemoteError) {
        let events = try cursor.fetch(connection)
        for event in events {
            if event.type == "mediaServicesReset" { try setUpAgain(connection, owner) }
            guard event.session.map(String.init) == session else { continue }
            switch event.type {
            case "interruptionBegan":
                setActive(false, owner)
                owner.tell(.interrupted(by: try interrupter(connection)))
            case "interruptionEnded":
                owner.tell(.ended(resumes: event.shouldResume && !isWithdrawn(event, events)))
            case "ducked", "unducked":
                let gain = try connection.run("session", "info", session).sessions.first?.gain
                owner.tell(.ducked(decibels: min(gain ?? 0, 0)))
            default: break
            }
        }
    }

    /// Whether an end's recommendation to resume came too late: others have resumed in its place.
    private func isWithdrawn(_ end: SessionEvent, _ events: [SessionEvent]) -> Bool {
        let own = events.filter { $0.number > end.number && $0.session == end.session }
        return own.last { $0.type == "resumptionRecommendation" }?.recommendsToResume == false
    }

    private func interrupter(_ connection: RemoteConnection) throws(RemoteError) -> String? {
        let sessions = try connection.run("session", "list").sessions
        let others = sessions.first { String($0.id) == session }?.interrupters ?? []
        return sessions.first { $0.id == others.last }?.name
    }
}
