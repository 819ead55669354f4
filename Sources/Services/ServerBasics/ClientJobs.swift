package import LineProtocol
package import NIOCore
private import Synchronization
package import Threads

/// A client that can wait for work and resume afterwards.
package protocol JobClient: AnyObject {
    /// Unique; work for a client that has left is dropped by this number.
    var id: Int { get }
    /// Whether the client has left, or is about to.
    var isClosing: Bool { get }
    /// Resumes the client after a command that took time.
    func resume(_ body: () throws -> Outcome)
}

/// Lets clients wait for work that would block the event loop.
///
/// Belongs to that loop.
package final class ClientJobs {
    private let work: WorkThreads
    private let loop: any EventLoop
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    /// Waiting clients, keyed by suspension number.
    private var suspensions: [Int: Suspension] = [:]
    private var nextToken = 0

    package init(_ work: WorkThreads, loop: any EventLoop) {
        self.work = work
        self.loop = loop
    }

    /// Runs `work` on a thread of a work queue while the client waits, and passes the result to `then` on the event loop.
    ///
    /// When the client leaves, work that has not begun is dropped; work that is running is cancelled, and its result
    /// ignored.
    ///
    /// - Throws: A system error when the work queue is full, or no thread can be started.
    package func perform<Value: Sendable>(
        for client: some JobClient,
        on workQueue: WorkQueue,
        _ work: @escaping @Sendable (Cancellation) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        let box = ResultBox<Value>()
        let token = suspend(client) { try then(box.take()) }
        return try submit(token, to: workQueue, for: client.id) { cancellation in
            box.put(Result { try work(cancellation) })
        }
    }

    private func submit(
        _ token: Int,
        to workQueue: WorkQueue,
        for owner: Int,
        _ body: @escaping @Sendable (Cancellation) -> Void
    ) throws(AckError) -> Outcome {
        do throws(WorkRefusal) {
            try work.submit(to: workQueue, for: owner) { [onLoop] cancellation in
                body(cancellation)
                onLoop { $0.resume(token) }
            }
        } catch {
            suspensions[token] = nil
            throw AckError(.system, error.description)
        }
        return .suspended
    }

    /// The same, for work that is short or cannot be cancelled.
    package func perform<Value: Sendable>(
        for client: some JobClient,
        on workQueue: WorkQueue,
        _ work: @escaping @Sendable () throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        try perform(for: client, on: workQueue, { _ in try work() }, then: then)
    }

    /// The same, for work without a result.
    package func perform(
        for client: some JobClient,
        on workQueue: WorkQueue,
        _ work: @escaping @Sendable () throws -> Void
    ) throws(AckError) -> Outcome {
        try perform(for: client, on: workQueue, work) { .done }
    }

    /// The same, for a change of the server that must not be left half done: `then` runs even if the client has left.
    ///
    /// - Throws: A system error when the work queue is full, or no thread can be started.
    package func performWholly<Value: Sendable>(
        for client: some JobClient,
        on workQueue: WorkQueue,
        _ work: @escaping @Sendable () throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        let box = ResultBox<Value>()
        let token = suspend(client, outlivesClient: true) { try then(box.take()) }
        // No client has this number, so a departing client does not take the work with it.
        return try submit(token, to: workQueue, for: -token) { _ in box.put(Result { try work() }) }
    }

    /// Suspends a client for some seconds.
    package func wait(
        for client: some JobClient,
        seconds: Double,
        then: @escaping () throws -> Outcome = { .done }
    ) -> Outcome {
        let token = suspend(client, then: then)
        _ = onLoop(in: seconds) { $0.resume(token) }
        return .suspended
    }

    /// Suspends a client until something has happened.
    ///
    /// - Parameters:
    ///   - then: Called on the event loop, unless the client has left.
    ///   - begin: Gets a closure that is to be called, on the event loop, when it has happened.
    package func wait(
        for client: some JobClient,
        then: @escaping () throws -> Outcome,
        until begin: (@escaping () -> Void) -> Void
    ) -> Outcome {
        let token = suspend(client, then: then)
        begin { [onLoop] in onLoop { $0.resume(token) } }
        return .suspended
    }

    /// The time limit of one fetch, including everything that it leads to.
    private static let fetchPatience = TimeAmount.seconds(30)

    /// Suspends a client while a fetch runs on the work queue of the network.
    package func performOnNetwork<Value: Sendable>(
        for client: some JobClient,
        _ work: @escaping @Sendable (Interrupt) throws -> Value,
        then: @escaping (Value) throws -> Outcome
    ) throws(AckError) -> Outcome {
        try perform(for: client, on: .network) { [loop] cancellation in
            let interrupt = Interrupt()
            cancellation.onCancel { interrupt.raise() }
            let deadline = loop.scheduleTask(in: Self.fetchPatience) { interrupt.raise() }
            defer { deadline.cancel() }
            return try work(interrupt)
        } then: {
            try then($0)
        }
    }

    /// Drops the work of a client that has left.
    package func dropAll(of client: some JobClient) {
        work.cancel(client.id)
        suspensions = suspensions.filter { $0.value.client !== client || $0.value.outlivesClient }
    }

    /// Drops the work that a client waits for, unless it must not be left half done.
    ///
    /// - Returns: Whether it was dropped.
    package func drop(of client: some JobClient) -> Bool {
        guard !suspensions.values.contains(where: { $0.client === client && $0.outlivesClient }) else { return false }
        dropAll(of: client)
        return true
    }

    private func suspend(
        _ client: some JobClient,
        outlivesClient: Bool = false,
        then body: @escaping () throws -> Outcome
    ) -> Int {
        nextToken += 1
        suspensions[nextToken] = Suspension(client: client, outlivesClient: outlivesClient, body: body)
        return nextToken
    }

    private func resume(_ token: Int) {
        guard let suspension = suspensions.removeValue(forKey: token) else { return }
        if suspension.outlivesClient, suspension.client.isClosing {
            _ = try? suspension.body()
        } else {
            suspension.client.resume(suspension.body)
        }
    }
}

/// A waiting client, and its continuation.
private struct Suspension {
    let client: any JobClient
    /// Whether the continuation also runs after the client has left.
    let outlivesClient: Bool
    let body: () throws -> Outcome
}

/// Passes one result between threads.
private final class ResultBox<Value: Sendable>: Sendable {
    private let result = Mutex<Result<Value, any Error>?>(nil)

    func put(_ value: Result<Value, any Error>) { result.withLock { $0 = value } }

    func take() throws -> Value {
        guard let result = result.withLock({ $0 }) else { throw AckError(.system, "no result") }
        return try result.get()
    }
}
