import AudioTypes
private import Synchronization
import Threads

/// The thread that writes state, so that a slow disk blocks nothing else.
///
/// Sleeps unless work is scheduled, and wakes once for each scheduled time.
package final class DiskThread: Sendable {
    private let core = Core()

    package init(named name: String = "segue-state") {
        let core = core
        WorkThread.startWhenPossible(named: name) { core.run() }
    }

    deinit { core.stop() }

    /// Whether no work is scheduled or running.
    package var isIdle: Bool { core.isIdle }

    /// Runs `work` at a time; if work is already scheduled for the same owner, the earlier time applies.
    func schedule(for owner: AnyObject, at time: HostTime, _ work: @escaping @Sendable () -> Void) {
        core.schedule(ObjectIdentifier(owner), at: time, work)
    }
}

private final class Core: Sendable {
    private struct Job {
        var time: HostTime
        var work: @Sendable () -> Void
    }

    private struct State {
        var jobs: [ObjectIdentifier: Job] = [:]
        var isWorking = false
        var isStopped = false
    }

    private enum Turn {
        case work(@Sendable () -> Void)
        case wait(until: HostTime?)
        case end
    }

    private let state = Mutex(State())
    private let bell = Doorbell()

    var isIdle: Bool { state.withLock { $0.jobs.isEmpty && !$0.isWorking } }

    func schedule(_ owner: ObjectIdentifier, at time: HostTime, _ work: @escaping @Sendable () -> Void) {
        let isEarliest = state.withLock { state in
            if let job = state.jobs[owner], job.time <= time { return false }
            state.jobs[owner] = Job(time: time, work: work)
            return state.jobs.values.allSatisfy { $0.time >= time }
        }
        if isEarliest { bell.ring() }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        bell.ring()
    }

    func run() {
        while true {
            switch turn() {
            case .work(let work): work()
            case .wait(let time): bell.wait(until: time)
            case .end: return
            }
        }
    }

    private func turn() -> Turn {
        state.withLock { state in
            state.isWorking = false
            if state.isStopped { return .end }
            guard let (owner, job) = state.jobs.min(by: { $0.value.time < $1.value.time }) else {
                return .wait(until: nil)
            }
            guard job.time <= .now else { return .wait(until: job.time) }
            state.jobs[owner] = nil
            state.isWorking = true
            return .work(job.work)
        }
    }
}
