internal import AudioTypes
internal import Outputs
internal import Synchronization

/// Whose clock is the group's, readable from anywhere without waiting for anybody.
///
/// What members tell on their threads, perhaps while they hold locks of their own, is answered from here too.
final class GroupClock: Sendable {
    struct State: Sendable {
        /// Where the player is told what happens.
        var events: (@Sendable (OutputEvent) -> Void)?
        var leader: (serial: Int, output: any AudioOutput)?
        /// The frame that has been heard, whatever the leader's clock says; where the clock stands without a leader.
        var floor = 0.0
        /// Members that follow the leader.
        var followers: [FedOutput] = []
        /// Members whose clock is waited for to run.
        var entering: Set<Int> = []
        var lead = 0.0
    }

    let state = Mutex(State())

    var clock: OutputClock {
        let (leader, floor) = state.withLock { ($0.leader?.output, $0.floor) }
        let now = HostTime.now
        guard let clock = leader?.clock else { return OutputClock(frame: floor, time: now, rate: 0) }
        guard clock.frame(at: now) < floor else { return clock }
        // It is behind whom it took over from: it stands until it has come there too.
        guard clock.rate > 0 else { return OutputClock(frame: floor, time: now, rate: 0) }
        let time = clock.time + (floor - clock.frame) / clock.rate
        return OutputClock(frame: floor, time: time, rate: clock.rate)
    }

    /// Lets go of all members; the clock stands.
    func forget() {
        let frame = clock.frame(at: .now)
        state.withLock { state in
            state.leader = nil
            state.followers = []
            state.floor = frame
        }
    }

    /// Passes on that a member's clock has changed.
    ///
    /// - Returns: Whether the group has to look at it.
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
