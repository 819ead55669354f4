internal import AudioTypes
internal import Mixing
internal import Outputs
internal import Synchronization

/// Who plays what in a group.
///
/// Used with the group's lock held. Members are called with it held, and so must never wait for it: what they tell goes
/// through `receiver`.
struct Conductor {
    let format: AudioFormat
    let center: GroupClock
    /// Real time for those who have no clock.
    let metronome: NullOutput
    var members: [GroupMember] = []
    var ring: (any FrameReading)?
    var receiver: (@Sendable (OutputEvent, Int) -> Void)?
    var isRunning = false
    var isClosed = false
    /// What the player was told of why nothing can be heard.
    var loss: String?
    var volume: Volume?
    var isMuted = false
    var nextSerial = 1
    /// Names of members whose state has changed and nobody was told.
    var changed: [String] = []

    /// The metronome's serial number.
    static let metronomeSerial = 0

    init(format: AudioFormat, center: GroupClock) {
        self.format = format
        self.center = center
        metronome = NullOutput(format: format)
    }

    // MARK: Transport

    mutating func attach(_ ring: any FrameReading) {
        self.ring = ring
        let receiver = receiver
        metronome.attach(ring) { receiver?($0, Self.metronomeSerial) }
        for index in members.indices where members[index].live != nil { enter(index) }
        elect()
    }

    mutating func start() {
        guard !isRunning, !isClosed else { return }
        isRunning = true
        // Before time goes on, for a file gets what is heard while it is opened.
        for index in members.indices { open(index) }
        for live in members.compactMap(\.live) { live.output.start() }
        if leads(Self.metronomeSerial) { metronome.start() }
    }

    mutating func pause() {
        guard isRunning else { return }
        isRunning = false
        for member in members {
            member.opener.stopRetrying()
            member.live?.output.pause()
        }
        metronome.pause()
    }

    mutating func discard(to position: FramePosition) {
        // Followers take what was heard until now, as long as the clock can tell.
        for isFollowing in [true, false] {
            for live in members.compactMap(\.live) where follows(live) == isFollowing {
                live.output.discard(to: position)
            }
        }
        if leads(Self.metronomeSerial) { metronome.discard(to: position) }
        for index in members.indices { members[index].requested = position }
        center.state.withLock { $0.floor = Double(position.index) }
    }

    func rewind(to position: FramePosition) {
        for live in members.compactMap(\.live) { live.output.rewind(to: position) }
        if leads(Self.metronomeSerial) { metronome.rewind(to: position) }
    }

    /// What the slowest needs; whoever follows another is behind anyway.
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
        self.volume = volume
        self.isMuted = isMuted
        for member in members where member.description.mixer != .none {
            member.live?.output.setVolume(volume, isMuted: isMuted)
        }
    }

    /// - Returns: What is to be closed, by whom; what follows the leader comes first, for it looks at the clock once more.
    mutating func close() -> [(opener: Opener, output: any AudioOutput)] {
        isClosed = true
        isRunning = false
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

    // MARK: Clocks

    func leads(_ serial: Int) -> Bool { center.state.withLock { $0.leader?.serial } == serial }

    func follows(_ live: LiveOutput) -> Bool {
        center.state.withLock { state in state.followers.contains { $0 === live.feed } }
    }

    /// Brings members back in line whose own clocks have gone too fast or too slow for hours.
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

    /// Seconds by which a member may be off, and seconds between two corrections.
    private static let alignmentLimit = 0.2
    private static let alignmentPeriod = 5.0

    /// The frame that is heard.
    var heard: FramePosition { FramePosition(Int(center.clock.frame(at: .now))) }

    /// Where a member begins that joins others.
    var entrance: FramePosition {
        let clock = center.clock
        let delay = clock.rate > 0 ? Self.entranceDelay : 0
        return FramePosition(Int(clock.frame(at: .now + delay).rounded()))
    }

    /// Seconds until the first frames are heard of a member that begins to play.
    private static let entranceDelay = 0.03
}
