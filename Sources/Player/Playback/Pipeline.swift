internal import AudioTypes
internal import HTTP
internal import MediaCoding
internal import Mixers
internal import Mixing
internal import Synchronization
internal import Threads

/// Decodes media into the ring on a thread of its own, ahead of the heard frame.
///
/// The player posts orders to one ordered mailbox and never waits; the pipeline answers with events. The thread sleeps
/// until there is an order, or until enough was heard that a good stretch can be decoded at once.
final class Pipeline: Sendable {
    /// The items that follow the one being decoded.
    enum Following: Sendable, Hashable {
        /// The player has not decided yet.
        case undecided
        /// Nothing: the end is marked.
        case nothing
        /// Silence without end; the item's time runs on.
        case silence
        /// This item, without a gap.
        case item(PlayerItem)
        /// The same item again, without a gap.
        case loop
    }

    /// How items are rendered.
    struct Settings: Sendable, Hashable {
        var rate: Double = 1
        var keepsPitch = true
        var replayGain = ReplayGainSettings()
        var playsAlbum = true
        var track = TrackSelection.automatic
        /// The choice for one item, in place of `track`.
        var choice: TrackChoice?
        var crossfade = Crossfade()
        var stream = StreamOptions()
    }

    /// The audio of one item.
    struct TrackChoice: Sendable, Hashable {
        var item: PlayerItem.ID
        var track: TrackSelection
    }

    /// A jump to an item and a time.
    struct Jump: Sendable {
        var item: PlayerItem
        var time: MediaTime
        var tolerance = SeekTolerance.exact
        /// Whether the heard frames may fade out under the item.
        var fades = false
        /// Whether it continues at the position heard when the jump is made, of which `time` is only an estimate.
        var followsHearing = false
    }

    enum Order: Sendable {
        /// Drop the decoded frames and continue with an item at a time.
        case play(Jump, generation: Int)
        /// Set what follows the item started last.
        case follow(PlayerItem.ID, Following, generation: Int)
        /// Set what follows the heard item, and so on; frames decoded after an end are taken back if something else
        /// follows.
        case revise(Revision, generation: Int)
        /// End the item before the one being opened where its frames end, all of which were heard; the player starts
        /// the next one.
        case endHere(generation: Int)
        /// Convert the decoded frames to the output's format, which has changed; the medium cannot be read again.
        case recast
        /// Release the buffered data to the output, however little it is.
        case playImmediately
        /// Render with these settings from here on.
        case configure(Settings)
        /// Drop everything.
        case unload
        case close
    }

    /// An event for the player, with the generation of the `play` it belongs to.
    enum Event: Sendable {
        /// Decoding continues from this time, which is heard at this frame.
        case landed(MediaTime, at: FramePosition, generation: Int)
        case opened(PlayerItem.ID, MediaEntry, MediaInfo)
        case failed(PlayerItem.ID, String, generation: Int)
        /// Decoding has reached the start of an item: what follows it?
        case began(PlayerItem.ID, generation: Int)
        /// Damage was found, and is in `damages`.
        case damaged
        /// An item other than the one in a revision is heard already.
        case missedRevision(PlayerItem.ID, generation: Int)
        /// The timeline has changed ahead of the heard frame.
        case timelineChanged
        /// Frames flow to the output again, after the player noticed that they had ended.
        case wentOn(generation: Int)
        /// An event of a network medium.
        case stream(PlayerItem.ID, StreamEvent)
    }

    struct Mailbox: Sendable {
        var orders: [(order: Order, request: Int)] = []
        /// Whether the thread is waiting for a following item to be opened; orders that change it must not wait.
        var isOpening = false
    }

    /// Replaced by the decode thread when the output's format changes.
    private let currentRing: Mutex<FrameRing>
    var ring: FrameRing { currentRing.withLock(\.self) }
    let timeline: Mutex<Timeline>
    /// The damage that was found and not told yet; each item has one at most.
    let damages = Mutex<[(item: PlayerItem.ID, text: String)]>([])
    private let output: MixerChannel
    let mailbox = Mutex(Mailbox())
    private let hasThread = Mutex(false)
    private let interrupt = Interrupt()
    private let bell = Doorbell()
    private let finished = Doorbell()
    let demand = Demand()
    let streams = Mutex(StreamSources())
    let resolve: @Sendable (MediaEntry) throws -> MediaEntry
    let subtitles: @Sendable (PlayerItem.ID) -> SubtitleFeed?
    let playsSilentFilms: Bool
    let report: @Sendable (Event) -> Void

    /// Seconds decoded ahead of the frames that the output may hold.
    static let aheadLength = 6.0
    /// Seconds decoded at a stretch before the thread sleeps again.
    static let stretchLength = 4.0

    init(
        output: MixerChannel,
        resolve: @escaping @Sendable (MediaEntry) throws -> MediaEntry = { $0 },
        subtitles: @escaping @Sendable (PlayerItem.ID) -> SubtitleFeed? = { _ in nil },
        playsSilentFilms: Bool = false,
        report: @escaping @Sendable (Event) -> Void
    ) {
        let format = output.format
        currentRing = Mutex(Self.makeRing(format, for: output))
        timeline = Mutex(Timeline(sampleRate: format.sampleRate))
        self.output = output
        self.resolve = resolve
        self.subtitles = subtitles
        self.playsSilentFilms = playsSilentFilms
        self.report = report
        _ = startThread()
    }

    private static func makeRing(
        _ format: AudioFormat,
        for output: MixerChannel,
        at start: FramePosition = .zero
    ) -> FrameRing {
        let length = output.depth + aheadLength + output.history
        return FrameRing(format: format, capacity: max(32_768, format.frames(in: length)), at: start)
    }

    /// Makes a ring in the output's present format, which goes on after all frames of the last one.
    func renewRing() -> FrameRing {
        while true {
            let ring = Self.makeRing(output.format, for: output, at: ring.written)
            guard output.replace(ring) else { continue }
            currentRing.withLock { $0 = ring }
            return ring
        }
    }

    /// Starts the thread unless it runs.
    ///
    /// - Returns: Why it cannot be started; `nil` when it runs.
    private func startThread() -> ThreadError? {
        hasThread.withLock { hasThread in
            if hasThread { return nil }
            do throws(ThreadError) {
                try WorkThread.start(named: "segue-decode") { [self] in
                    decode()
                    finished.ring()
                }
                hasThread = true
                return nil
            } catch {
                return error
            }
        }
    }

    /// When it returns, all media are closed and recordings are complete.
    private func decode() {
        var worker = DecodeWorker(self, output: output, interrupt: interrupt)
        run(&worker)
    }

    /// Posts an order; returns at once.
    ///
    /// If no thread can be started, the item to be played fails.
    func post(_ order: Order) {
        if let error = startThread(), case .play(let jump, let generation) = order {
            return report(.failed(jump.item.id, "\(error)", generation: generation))
        }
        mailbox.withLock { mailbox in
            let isUrgent =
                switch order {
                case .play, .unload, .close: true
                case .revise, .endHere: mailbox.isOpening
                case .follow, .recast, .playImmediately, .configure: false
                }
            mailbox.orders.append((order, isUrgent ? interrupt.raise() : 0))
        }
        bell.ring()
    }

    /// Makes the thread check for work.
    func wake() { bell.ring() }

    /// Waits until the thread has ended, after `close` was posted.
    func waitUntilClosed() {
        if hasThread.withLock(\.self) { finished.wait() }
    }

    private func run(_ worker: inout DecodeWorker) {
        while true {
            let taken = mailbox.withLock { mailbox in
                defer { mailbox.orders.removeAll(keepingCapacity: true) }
                return mailbox.orders
            }
            // Of several jumps only the latest is made.
            let lastJump = taken.lastIndex {
                if case .play = $0.order { true } else if case .unload = $0.order { true } else { false }
            }
            if let request = taken.map(\.request).max(), request > 0 { interrupt.lower(to: request) }
            for (index, (order, _)) in taken.enumerated() {
                switch order {
                case .close: return
                case .play(let jump, let generation): if index == lastJump { worker.play(jump, generation) }
                case .unload: if index == lastJump { worker.unload() }
                case .follow(let item, let following, let generation): worker.follow(item, following, generation)
                case .revise(let revision, let generation): worker.revise(revision, generation)
                case .endHere(let generation): worker.endHere(generation)
                case .recast: worker.recast()
                case .playImmediately: worker.playImmediately()
                case .configure(let settings): worker.configure(settings)
                }
            }
            if mailbox.withLock({ $0.orders.isEmpty }) == false { continue }
            switch worker.work() {
            case .again: continue
            case .sleep(let deadline): bell.wait(until: deadline)
            }
        }
    }
}
