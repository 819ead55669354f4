internal import AudioTypes
internal import Mixing
internal import Outputs
internal import Synchronization

/// Decides which member of a group plays what.
///
/// Used with the group's lock held. Members are called with it held, so they must never wait for it: their events go
/// through `receiver`.
struct Conductor {
    private(set) var format: AudioFormat
    let center: GroupClock
    /// A real-time clock for a group without any other.
    private(set) var metronome: NullOutput
    var members: [GroupMember] = []
    var ring: (any FrameReading)?
    /// The leader's serial number while the format changes; the clock has none then.
    var restingLeader: Int?
    var receiver: (@Sendable (OutputEvent, Int) -> Void)?
    /// Whether the group was started: the mixer's decision, as last told.
    ///
    /// It holds for all members.
    var isStarted = false
    var isClosed = false
    /// The event that told the player why nothing can be heard.
    var loss: OutputEvent?
    /// How many changes of members are under way, in the middle of which no loss is told.
    var openChanges = 0
    /// The format of what is played, for a leader that follows it.
    var followed: AudioFormat?
    var level = Level()
    /// The texts of the medium that is heard, for outputs that tell them.
    var title: StreamTitle?
    var nextSerial = 1
    /// Names of members whose state has changed since the last report.
    var changed: [String] = []

    /// How loud the members are, and may be.
    struct Level {
        /// `nil` until it was set.
        var volume: Volume?
        var isMuted = false
        /// The most that volumes may be where others can change them as well; `nil` for any.
        var ceiling: Volume?
    }

    /// The metronome's serial number.
    static let metronomeSerial = 0

    init(format: AudioFormat, center: GroupClock) {
        self.format = format
        self.center = center
        metronome = NullOutput(format: format)
    }

    // MARK: The format

    var leadingMember: GroupMember? { members.first { $0.live.map { leads($0.serial) } ?? false } }

    /// The format in which the leader needs no conversion; `nil` where it takes any.
    var wish: AudioFormat? {
        guard let member = leadingMember, let live = member.live, !live.isLost else { return nil }
        // A member that takes over from a lost leader goes on with converted frames: a new format would interrupt it.
        if isStarted, live.feed != nil, isAnySinkLost { return nil }
        switch member.description.plugin {
        case .pulse, .alsa:
            if formatPolicy(of: member) != .sink, let followed { return live.inner.nearest(to: followed) }
            return member.description.rendered(live.inner.preferredFormat)
        case .recorder, .pipe: return live.inner.format
        case .null, .fifo, .httpd, .icecast, .hls, .snapcast: return nil
        }
    }

    /// The format policy of a member in this group: `automatic` holds for the only enabled member, and is `sink` for others.
    func formatPolicy(of member: GroupMember) -> FormatPolicy {
        let policy = member.description.formatPolicy
        if policy == .automatic, members.count(where: \.description.isEnabled) > 1 { return .sink }
        // A device that has only one format cannot follow.
        return member.description.plugin == .alsa && member.live?.inner.formatPolicy == .sink ? .sink : policy
    }

    private var isAnySinkLost: Bool {
        members.contains { $0.description.plugin.hasSinks && $0.description.isEnabled && $0.live?.isLost != false }
    }

    /// Adapts the group to another format, after all frames that were not heard were dropped.
    ///
    /// The clock stands until the next ring is attached: an output numbers its frames otherwise without a feed.
    mutating func reformat(to new: AudioFormat) {
        ring = nil
        format = new
        restingLeader = center.state.withLock { state in
            state.format = new
            return state.leader.take()?.serial
        }
        metronome.reformat(to: new)
        for index in members.indices {
            let keepsSinks = members[index].description.plugin.hasSinks && formatPolicy(of: members[index]) == .sink
            let description = members[index].description
            members[index].live?.reformat(to: new, description, keepsSinks: keepsSinks)
        }
    }

    // MARK: Transport

    mutating func attach(_ ring: any FrameReading, at position: FramePosition) {
        self.ring = ring
        let receiver = receiver
        metronome.attach(ring, at: position) { receiver?($0, Self.metronomeSerial) }
        for index in members.indices where members[index].live != nil { enter(index) }
        elect()
    }

    mutating func start() {
        guard !isStarted, !isClosed else { return }
        isStarted = true
        // Before the clock starts: a file also gets the frames heard while it is being opened.
        for index in members.indices { open(index) }
        for live in members.compactMap(\.live) { live.output.start() }
        if leads(Self.metronomeSerial) { metronome.start() }
    }

    mutating func pause() {
        guard isStarted else { return }
        isStarted = false
        for member in members {
            member.opener.stopRetrying()
            member.live?.output.pause()
        }
        metronome.pause()
        elect()
    }

    /// - Returns: The frame heard last.
    mutating func discard(to position: FramePosition) -> Double {
        let floor = center.state.withLock { $0.floor }
        var heard = floor
        // Followers first take the frames heard until now, while the clock still runs.
        for isFollowing in [true, false] {
            for live in members.compactMap(\.live) where follows(live) == isFollowing {
                let last = live.output.discard(to: position)
                if leads(live.serial) { heard = max(floor, last) }
            }
        }
        if leads(Self.metronomeSerial) { heard = max(floor, metronome.discard(to: position)) }
        for index in members.indices { members[index].requested = position }
        center.state.withLock { $0.floor = Double(position.index) }
        return heard
    }

    func rewind(to position: FramePosition) {
        for live in members.compactMap(\.live) { live.output.rewind(to: position) }
        if leads(Self.metronomeSerial) { metronome.rewind(to: position) }
    }

    /// The margin of the slowest member; followers are behind anyway.
    var rewriteMargin: Double? {
        let lives = members.compactMap { member in member.live.map { ($0, member.description.plugin.takesAtOnce) } }
        if lives.contains(where: { leads($0.0.serial) && $0.1 }) { return nil }
        return lives.compactMap { $0.1 ? nil : $0.0.output.rewriteMargin }.max() ?? 0
    }

    func rewrite(from position: FramePosition) {
        for live in members.compactMap(\.live) { live.output.rewrite(from: position) }
        if leads(Self.metronomeSerial) { metronome.rewrite(from: position) }
    }

    mutating func framesAvailable() {
        for live in members.compactMap(\.live) { live.output.framesAvailable() }
        if leads(Self.metronomeSerial) { metronome.framesAvailable() }
        align()
    }

    mutating func setVolume(_ volume: Volume, isMuted: Bool) {
        (level.volume, level.isMuted) = (volume, isMuted)
        for member in members { member.live?.volumeControl?.setVolume(volume, isMuted: isMuted) }
    }

    mutating func setCeiling(_ ceiling: Volume?) {
        level.ceiling = ceiling
        for member in members { member.live?.volumeControl?.setCeiling(ceiling) }
    }

    /// - Returns: The outputs to close, with their openers; followers first, because they read the leader's clock once
    ///   more.
    mutating func close() -> [(opener: Opener, output: any AudioOutput)] {
        isClosed = true
        isStarted = false
        center.state.withLock { $0.events = nil }
        var lives: [(opener: Opener, output: any AudioOutput)] = []
        for isFollowing in [true, false] {
            for member in members {
                guard let live = member.live, follows(live) == isFollowing else { continue }
                lives.append((member.opener, live.output))
            }
        }
        for index in members.indices {
            members[index].live = nil
            members[index].opener.cancel()
        }
        return lives
    }

    mutating func show(_ title: StreamTitle) {
        self.title = title
        for member in members { member.live?.show(title) }
    }

    // MARK: Clocks

    func leads(_ serial: Int) -> Bool { center.state.withLock { $0.leader?.serial } == serial }

    func follows(_ live: LiveOutput) -> Bool {
        center.state.withLock { state in state.followers.contains { $0 === live.feed } }
    }

    /// Realigns members whose own clocks have drifted over hours.
    private mutating func align() {
        guard members.count > 1 else { return }
        let clock = center.clock
        let now = HostTime.now
        guard clock.rate > 0 else { return }
        for index in members.indices {
            guard let live = members[index].live, !live.isLost, !leads(live.serial), !follows(live) else { continue }
            let own = live.output.clock
            let isDue = live.aligned.map { now - $0 > Self.alignmentPeriod } ?? true
            let distance = abs(own.frame(at: now) - clock.frame(at: now)) / clock.rate
            guard own.rate > 0, isDue, distance > Self.alignmentLimit else { continue }
            members[index].live?.aligned = now
            live.output.discard(to: entrance)
            live.output.framesAvailable()
        }
    }

    /// Seconds by which the clock is ahead of what is heard at the slowest member; followers do not count, because they
    /// get the heard frames whenever they are closed.
    var spread: Double {
        let clock = center.clock
        let now = HostTime.now
        let spreads = members.compactMap { member -> Double? in
            guard let live = member.live, !live.isLost, !follows(live) else { return nil }
            return live.output.spread + (leads(live.serial) ? 0 : lag(of: live, behind: clock, now))
        }
        return spreads.max() ?? 0
    }

    private func lag(of live: LiveOutput, behind clock: OutputClock, _ now: HostTime) -> Double {
        let own = live.output.clock
        guard clock.rate > 0, own.rate > 0 else { return 0 }
        let lag = (clock.frame(at: now) - own.frame(at: now)) / clock.rate
        return min(max(0, lag), Self.alignmentLimit)
    }

    /// Seconds by which a member may drift, and seconds between two corrections.
    private static let alignmentLimit = 0.2
    private static let alignmentPeriod = 5.0

    /// The heard frame.
    var heard: FramePosition { FramePosition(Int(sample: center.clock.frame(at: .now))) }

    /// The frame at which a member starts that joins others.
    var entrance: FramePosition {
        let clock = center.clock
        let delay = clock.rate > 0 ? Self.entranceDelay : 0
        return FramePosition(Int(sample: clock.frame(at: .now + delay).rounded()))
    }

    /// Seconds until the first frames of a member that starts are heard.
    private static let entranceDelay = 0.03
}
