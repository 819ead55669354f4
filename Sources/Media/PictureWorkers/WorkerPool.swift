internal import Threads

/// Workers that are shared by threads, none of which lives long after the last picture.
final class WorkerPool: Sendable {
    private struct State {
        var idle: [PictureWorker] = []
        var busy = 0
        var lastUse = ContinuousClock.now
        var isTidying = false
    }

    private let state = Monitor(State())
    private let program: String

    /// Workers are ended when none was used for this time.
    private static let patience = Duration.seconds(60)

    init(program: String) { self.program = program }

    /// A worker for one picture.
    func take() -> PictureWorker {
        state.change { [program] state in
            state.busy += 1
            state.lastUse = .now
            return state.idle.popLast() ?? PictureWorker(program: program, yields: true)
        }
    }

    func giveBack(_ worker: PictureWorker) {
        let mustTidy = state.change { state in
            state.busy -= 1
            state.idle.append(worker)
            state.lastUse = .now
            defer { state.isTidying = true }
            return !state.isTidying
        }
        if mustTidy { Task { [weak self] in await self?.tidy() } }
    }

    /// Waits until no worker was used for a while, and ends them.
    private func tidy() async {
        while true {
            // Not at once again, should a picture take that long.
            let end = max(state.read { $0.lastUse } + Self.patience, .now + .seconds(1))
            try? await Task.sleep(until: end, tolerance: .seconds(5))
            let idle: [PictureWorker]? = state.change { state in
                guard state.busy == 0, ContinuousClock.now - state.lastUse >= Self.patience else { return nil }
                defer { (state.idle, state.isTidying) = ([], false) }
                return state.idle
            }
            if let idle {
                // They wait for their processes' ends, so not here.
                WorkThread.startWhenPossible(named: "segue-picture") { withExtendedLifetime(idle) {} }
                return
            }
        }
    }
}
