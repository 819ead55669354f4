internal import AudioTypes
internal import Outputs
internal import Synchronization

/// The group's clock, readable from any thread without waiting.
///
/// Events of members, on their threads and perhaps under locks of their own, are answered here too.
final class GroupClock: Sendable {
    struct State: Sendable {
        /// Where the player receives events.
        var events: (@Sendable (OutputEvent) -> Void)?
        var leader: (serial: Int, output: any AudioOutput)? { didSet { changes += 1 } }
        /// How often the leader has changed.
        private(set) var changes = 0
        /// The lower bound of the heard frame, whatever the leader's clock says; the position while there is no leader.
        var floor = 0.0
        /// Members that follow the leader.
        var followers: [FedOutput] = []
        /// Members whose clocks have not started yet.
        var entering: Set<Int> = []
        var lead = 0.0
        var format: AudioFormat
    }

    let state: Mutex<State>

    init(format: AudioFormat) { state = Mutex(State(format: format)) }

    var clock: OutputClock {
        let (own, floor) = leadersClock
        let now = HostTime.now
        guard let clock = own else { return OutputClock(frame: floor, time: now, rate: 0) }
        guard clock.frame(at: now) < floor else { return clock }
        // It is behind the clock it replaced: the group's stands until it has caught up.
        guard clock.rate > 0 else { return OutputClock(frame: floor, time: now, rate: 0) }
        let time = clock.time + (floor - clock.frame) / clock.rate
        return OutputClock(frame: floor, time: time, rate: clock.rate)
    }

    /// The clock of the one that leads all the while: an output that led before may number its frames otherwise.
    private var leadersClock: (own: OutputClock?, floor: Double) {
        while true {
            let (leader, floor, changes) = state.withLock { ($0.leader?.output, $0.floor, $0.changes) }
            let clock = leader?.clock
            if state.withLock({ $0.changes }) == changes { return (clock, floor) }
        }
    }

    /// Releases all members; the clock stops.
    func forget() {
        let frame = clock.frame(at: .now)
        state.withLock { state in
            state.leader = nil
            state.followers = []
            state.floor = frame
        }
    }

    /// Forwards a change of a member's clock.
    ///
    /// - Returns: Whether the group has to reconsider.
    func clockChanged(of serial: Int) -> Bool {
        let (isLeader, isEntering, followers, events) = state.withLock { state in
            (
                state.leader?.serial == serial, state.entering.contains(serial),
                state.leader?.serial == serial ? state.followers : [], state.events
            )
        }
        if isLeader {
            events?(.clockChanged)
            for follower in followers { follower.wake() }
        }
        return isEntering
    }
}
