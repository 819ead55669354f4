internal import AudioTypes
internal import Outputs
internal import Synchronization

/// The choice of the leader, whose clock is the group's.
extension Conductor {
    /// Elects the leader, hands over to it at the heard frame, and makes the other members follow.
    mutating func elect() {
        guard ring != nil, !isClosed else { return }
        updateEntrances()
        let current = center.state.withLock { $0.leader?.serial }
        let old = current ?? restingLeader.take()
        let new = bestLeader(old)
        if new?.serial != current { hand(over: new, from: new?.serial == old ? nil : old) }
        reopenLost()
        share()
        tellLoss(of: new?.serial)
        if let wish, wish != format { center.state.withLock { $0.events }?(.formatChanged) }
    }

    private mutating func updateEntrances() {
        for index in members.indices {
            guard let live = members[index].live, live.isEntering else { continue }
            members[index].live?.isEntering = isStarted && live.output.clock.rate == 0
        }
    }

    /// The best working member; when no member works, the old leader.
    ///
    /// Among equals the old leader stays while the group plays, so that what is heard is not interrupted; otherwise the first
    /// in the order of the configuration leads, whichever opened first.
    private func bestLeader(_ old: Int?) -> (serial: Int, output: any AudioOutput)? {
        let enabled = members.filter(\.description.isEnabled)
        let working = enabled.filter { $0.live?.isLost == false && $0.description.plugin.rank != nil }
        // A member that has just started leads once its clock runs, or at once if there was no leader.
        let settled = working.filter { $0.live?.isEntering == false || $0.live?.serial == old || old == nil }
        let best = settled.min { preference($0, old) < preference($1, old) }
        if let best, !best.description.plugin.takesAtOnce {
            return old == nil && isOpening(before: best) ? nil : leader(best)
        }
        guard enabled.contains(where: \.description.plugin.isRealTime) else { return best.flatMap(leader) }
        // An output that takes frames at once must not swallow a whole queue while a sound server is away.
        if enabled.contains(where: { $0.live != nil && $0.description.plugin.takesAtOnce }) {
            let isOpening = enabled.contains { $0.opensEarly && $0.needsOpening && $0.error == nil }
            return old == nil && isOpening ? nil : (Self.metronomeSerial, metronome)
        }
        return (working.first ?? members.first { $0.live?.serial == old }).flatMap(leader)
    }

    private func leader(_ member: GroupMember) -> (serial: Int, output: any AudioOutput)? {
        member.live.map { ($0.serial, $0.output) }
    }

    private func preference(_ member: GroupMember, _ old: Int?) -> (Int, Int) {
        (member.description.plugin.rank ?? .max, isStarted && member.live?.serial == old ? 0 : 1)
    }

    /// Whether a member that would lead in place of this one is being opened for the first time.
    ///
    /// An attempt ends within seconds, and its error is kept while it is repeated.
    private func isOpening(before best: GroupMember) -> Bool {
        let earlier = members.prefix { $0.name != best.name }
        return earlier.contains { member in
            member.description.plugin.rank == best.description.plugin.rank && member.opensEarly && member.needsOpening
                && member.error == nil
        }
    }

    private mutating func hand(over new: (serial: Int, output: any AudioOutput)?, from old: Int?) {
        let heard = center.clock.frame(at: .now)
        if new?.serial == Self.metronomeSerial {
            metronome.discard(to: FramePosition(Int(sample: heard.rounded())))
            metronome.framesAvailable()
            if isStarted { metronome.start() }
        }
        let events = center.state.withLock { state in
            state.leader = new
            state.floor = heard
            return state.events
        }
        if old == Self.metronomeSerial { metronome.pause() }
        for member in members where member.description.plugin.takesAtOnce {
            guard let live = member.live, live.serial == new?.serial || live.serial == old else { continue }
            let pace = member.description.plugin.pace { [center] in center.clock }
            live.feed?.setPace(live.serial == new?.serial ? nil : pace, isStarted: isStarted)
        }
        events?(.clockChanged)
    }

    /// Publishes the state that other threads read without waiting.
    private func share() {
        let lives = members.compactMap(\.live)
        let leads = lives.map(\.output.lead)
        let hasServer = members.contains { $0.description.plugin == .pulse }
        center.state.withLock { state in
            state.followers = members.compactMap { member in
                guard let live = member.live, member.description.plugin.takesAtOnce,
                    live.serial != state.leader?.serial
                else { return nil }
                return live.feed
            }
            state.entering = Set(lives.filter(\.isEntering).map(\.serial))
            // A server that joins in the middle of an item must find enough frames after its end.
            state.lead = max(leads.max() ?? 0, hasServer ? PulseOutput.leadLength : 0)
        }
        for follower in center.state.withLock({ $0.followers }) { follower.wake() }
    }

    /// Reports to the player when nothing can be heard, and when it can again.
    private mutating func tellLoss(of leader: Int?) {
        guard openChanges == 0 else { return }
        let events = center.state.withLock { $0.events }
        if let leader, members.first(where: { $0.live?.serial == leader })?.live?.isLost != true {
            guard loss != nil else { return }
            loss = nil
            events?(.restored)
        } else if let event = lossEvent, event != loss {
            loss = event
            events?(event)
        }
    }

    /// Why nothing can be heard; `nil` while unknown.
    private var lossEvent: OutputEvent? {
        let enabled = members.filter(\.description.isEnabled)
        if enabled.isEmpty { return .lost("no output is enabled") }
        // A file is opened when playback starts.
        if enabled.contains(where: { $0.needsOpening && $0.error == nil }) { return nil }
        guard let (member, error) = enabled.firstNonNil({ member in member.error.map { (member, $0) } }) else {
            return nil
        }
        guard var loss = member.live?.routeLoss else { return .lost("\(member.name): \(error)") }
        loss.text = "\(member.name): \(error)"
        return .routeLost(loss)
    }
}
