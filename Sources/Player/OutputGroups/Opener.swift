internal import AudioTypes
internal import Outputs
private import Synchronization
internal import Threads

/// Opens and closes the outputs of one member, one after the other, on a thread that lives only while there is work.
final class Opener: Sendable {
    /// The outcome of an attempt.
    enum Outcome: Sendable {
        case opened(any AudioOutput)
        case failed(String)
    }

    private let open: @Sendable () throws -> any AudioOutput
    private let report: @Sendable (Outcome) -> Bool
    private let isNeeded: @Sendable () -> Bool
    private let state: Mutex<State>
    private let bell = Doorbell()
    private let idle = Doorbell()

    private struct State {
        var closings: [any AudioOutput] = []
        var wantsOpen = false
        /// Whether a failed attempt is repeated.
        var retries = false
        var hasThread = false
        var backoff: Backoff
    }

    /// - Parameters:
    ///   - longestDelay: Seconds between two attempts at most.
    ///   - report: Reports an outcome, and returns whether the output is still wanted.
    init(
        longestDelay: Double,
        open: @escaping @Sendable () throws -> any AudioOutput,
        isNeeded: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (Outcome) -> Bool
    ) {
        self.isNeeded = isNeeded
        state = Mutex(State(backoff: Backoff(from: 0.05, to: longestDelay)))
        self.open = open
        self.report = report
    }

    /// Whether an output is being opened, or another attempt is due.
    var isBusy: Bool { state.withLock { $0.wantsOpen } }

    /// Opens at once; with `retrying`, until it succeeds.
    func request(retrying: Bool) {
        work { state in
            state.wantsOpen = true
            state.retries = retrying
        }
    }

    /// Makes the current attempt the last one.
    func stopRetrying() {
        state.withLock { $0.retries = false }
        bell.ring()
    }

    /// Cancels the request to open.
    func cancel() {
        state.withLock { state in
            state.wantsOpen = false
            state.retries = false
            state.backoff.reset()
        }
        bell.ring()
    }

    /// Closes an output, before another one is opened.
    func close(_ output: any AudioOutput) { work { $0.closings.append(output) } }

    /// Waits until all outputs passed to `close` are closed.
    func waitUntilClosed() {
        while state.withLock({ !$0.closings.isEmpty }) { idle.wait() }
    }

    private func work(_ change: (inout State) -> Void) {
        let needsThread = state.withLock { state in
            change(&state)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { WorkThread.startWhenPossible(named: "segue-open") { self.run() } } else { bell.ring() }
    }

    private enum Job {
        case close(any AudioOutput)
        case open
        case end
    }

    private func run() {
        while true {
            switch nextJob() {
            case .close(let output):
                output.close()
                state.withLock { _ = $0.closings.removeFirst() }
                idle.ring()
            case .open: attempt()
            case .end: return
            }
        }
    }

    private func nextJob() -> Job {
        state.withLock { state in
            if let output = state.closings.first { return .close(output) }
            if state.wantsOpen { return .open }
            state.hasThread = false
            return .end
        }
    }

    private func attempt() {
        // It may have been opened in the meantime.
        guard isNeeded() else { return cancel() }
        do {
            let output = try open()
            let isWanted = state.withLock { state in
                defer { state.wantsOpen = false }
                state.backoff.reset()
                return state.wantsOpen
            }
            if !isWanted || !report(.opened(output)) { output.close() }
        } catch {
            let delay = state.withLock { state in
                if !state.retries { state.wantsOpen = false }
                let delay = state.backoff.next()
                return state.wantsOpen ? delay : 0
            }
            _ = report(.failed("\(error)"))
            if delay > 0 { waitForRetry(until: .now + delay) }
        }
    }

    private func waitForRetry(until deadline: HostTime) {
        bell.wait(until: deadline)
        // If retries were stopped in the meantime, there is no other attempt.
        state.withLock { if !$0.retries { $0.wantsOpen = false } }
    }
}
