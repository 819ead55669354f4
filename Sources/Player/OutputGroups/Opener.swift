internal import AudioTypes
internal import Mixing
internal import Outputs
private import Synchronization

/// Opens and closes the outputs of one member, one after the other, on a thread that lives while there is something to do.
final class Opener: Sendable {
    /// What came of an attempt.
    enum Outcome: Sendable {
        case opened(any AudioOutput)
        case failed(String)
    }

    private let open: @Sendable () throws -> any AudioOutput
    /// Says whether what was opened is wanted.
    private let report: @Sendable (Outcome) -> Bool
    private let isNeeded: @Sendable () -> Bool
    private let longestDelay: Double
    private let state = Mutex(State())
    private let bell = Doorbell()
    private let idle = Doorbell()

    private struct State {
        var closings: [any AudioOutput] = []
        var wantsOpen = false
        /// Whether a failed attempt is followed by another one.
        var retries = false
        var hasThread = false
        var delay = Opener.firstDelay
    }

    /// Seconds after the first failed attempt; doubled from one to the next.
    private static let firstDelay = 0.05

    init(
        longestDelay: Double,
        open: @escaping @Sendable () throws -> any AudioOutput,
        isNeeded: @escaping @Sendable () -> Bool,
        report: @escaping @Sendable (Outcome) -> Bool
    ) {
        self.isNeeded = isNeeded
        self.longestDelay = longestDelay
        self.open = open
        self.report = report
    }

    /// Whether an output is being opened, or will be tried again.
    var isBusy: Bool { state.withLock { $0.wantsOpen } }

    /// Tries to open at once; again and again if so told.
    func request(retrying: Bool) {
        work { state in
            state.wantsOpen = true
            state.retries = retrying
        }
    }

    /// Lets an attempt be the last one.
    func stopRetrying() {
        state.withLock { $0.retries = false }
        bell.ring()
    }

    /// Forgets that anything was to be opened.
    func cancel() {
        state.withLock { state in
            state.wantsOpen = false
            state.retries = false
            state.delay = Self.firstDelay
        }
        bell.ring()
    }

    /// Closes an output, before another one is opened.
    func close(_ output: any AudioOutput) { work { $0.closings.append(output) } }

    /// Waits until all that was to be closed is closed.
    func waitUntilClosed() {
        while state.withLock({ !$0.closings.isEmpty }) { idle.wait() }
    }

    private func work(_ change: (inout State) -> Void) {
        let needsThread = state.withLock { state in
            change(&state)
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { WorkThread.start(named: "segue-open") { self.run() } } else { bell.ring() }
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
        // It may be open by now.
        guard isNeeded() else { return cancel() }
        do {
            let output = try open()
            let isWanted = state.withLock { state in
                defer { state.wantsOpen = false }
                state.delay = Self.firstDelay
                return state.wantsOpen
            }
            if !isWanted || !report(.opened(output)) { output.close() }
        } catch {
            let delay = state.withLock { state in
                if !state.retries { state.wantsOpen = false }
                defer { state.delay = min(2 * state.delay, longestDelay) }
                return state.wantsOpen ? state.delay : 0
            }
            _ = report(.failed("\(error)"))
            if delay > 0 { waitForRetry(until: .now + delay) }
        }
    }

    private func waitForRetry(until deadline: HostTime) {
        bell.wait(until: deadline)
        // Stopped meanwhile, it makes no other attempt.
        state.withLock { if !$0.retries { $0.wantsOpen = false } }
    }
}
