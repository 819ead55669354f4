internal import AudioTypes
internal import FFmpeg
internal import HTTP
internal import Mixing
internal import Outputs
internal import Synchronization

/// Decodes on a thread of its own: from media into the ring, ahead of what is heard.
///
/// The player gives orders through one ordered mailbox and never waits; the pipeline answers with events. It sleeps until
/// there is an order, or until so much has been heard that a good stretch can be decoded at once.
final class Pipeline: Sendable {
    /// What follows the item that is being decoded.
    enum Following: Sendable, Hashable {
        /// The player has not said yet.
        case undecided
        /// Nothing: the end is marked.
        case nothing
        /// Silence without end; the item's time runs on.
        case silence
        /// Without a gap, this item.
        case item(PlayerItem)
        /// Without a gap, the same item again.
        case loop
    }

    /// What is to follow what is heard.
    struct Revision: Sendable {
        /// The item that is heard, as far as the player has noticed.
        var item: PlayerItem
        /// Where the last end lies that the player has noticed.
        var noticed: FramePosition
        /// What follows the item, what follows that, and so on, at least as far as it is decoded.
        var chain: [Following]
    }

    /// How items are rendered.
    struct Settings: Sendable, Hashable {
        var rate: Double = 1
        var keepsPitch = true
        var replayGain = ReplayGainSettings()
        var playsAlbum = true
        var track = AudioTrackSelection.automatic
        var crossfade = Crossfade()
        var stream = StreamOptions()
    }

    /// Where to go on.
    struct Jump: Sendable {
        var item: PlayerItem
        var time: MediaTime
        var tolerance = SeekTolerance.exact
        /// Whether what is heard may fade out under the item.
        var fades = false
        /// Whether it goes on with what is heard when the jump is made, and `time` is only about that.
        var followsHearing = false
    }

    enum Order: Sendable {
        /// Drop what was decoded and go on with an item at a time.
        case play(Jump, generation: Int)
        /// What comes after the item that was begun last.
        case follow(PlayerItem.ID, Following, generation: Int)
        /// What comes after the item that is heard, and after that; what was decoded behind an end is taken back if it
        /// is something else.
        case revise(Revision, generation: Int)
        /// The item before the one that is being opened has been heard up to where its frames end: it ends there, and the
        /// player sees to the next one.
        case endHere(generation: Int)
        /// Let go on to the output what has come, however little that is.
        case playImmediately
        /// Render from here on like this.
        case configure(Settings)
        /// Drop everything.
        case unload
        case close
    }

    /// What the player is told, with the generation of the `play` it belongs to.
    enum Event: Sendable {
        /// Decoding goes on from this time, which is heard at this frame.
        case landed(MediaTime, at: FramePosition, generation: Int)
        case opened(PlayerItem.ID, MediaInfo)
        case failed(PlayerItem.ID, String, generation: Int)
        /// Decoding has reached the beginning of an item: what follows it?
        case began(PlayerItem.ID, generation: Int)
        case damaged(PlayerItem.ID, String, generation: Int)
        /// Another item than the one in a revision was heard already.
        case missedRevision(PlayerItem.ID, generation: Int)
        /// The timeline has changed ahead of what is heard.
        case timelineChanged
        /// Frames go on to the output again, after the player has noticed that they had ended.
        case wentOn(generation: Int)
        /// What a network medium tells while it is read.
        case stream(PlayerItem.ID, StreamEvent)
    }

    struct Mailbox: Sendable {
        var orders: [(order: Order, request: Int)] = []
        /// Whether the thread waits for an item to be opened that follows another one: what changes that must not wait.
        var isOpening = false
    }

    let ring: FrameRing
    let timeline: Mutex<Timeline>
    private let output: any AudioOutput
    let mailbox = Mutex(Mailbox())
    private let interrupt = Interrupt()
    private let bell = Doorbell()
    private let finished = Doorbell()
    let demand = Demand()
    let streams = Mutex(StreamSources())
    let report: @Sendable (Event) -> Void

    /// Seconds decoded ahead of what the output may hold.
    static let aheadLength = 6.0
    /// Seconds that are decoded at a stretch before the thread sleeps again.
    static let stretchLength = 4.0

    init(output: any AudioOutput, report: @escaping @Sendable (Event) -> Void) {
        let format = output.format
        let length = output.depth + Self.aheadLength + output.history
        ring = FrameRing(format: format, capacity: max(32_768, format.frames(in: length)))
        timeline = Mutex(Timeline(sampleRate: format.sampleRate))
        self.output = output
        self.report = report
        WorkThread.start(named: "segue-decode") { [self] in
            decode()
            finished.ring()
        }
    }

    /// When it returns, all that was read from is let go of, and recordings are complete.
    private func decode() {
        var worker = DecodeWorker(self, output: output, interrupt: interrupt)
        run(&worker)
    }

    /// Gives an order; returns at once.
    func post(_ order: Order) {
        mailbox.withLock { mailbox in
            let isUrgent =
                switch order {
                case .play, .unload, .close: true
                case .revise, .endHere: mailbox.isOpening
                case .follow, .playImmediately, .configure: false
                }
            mailbox.orders.append((order, isUrgent ? interrupt.raise() : 0))
        }
        bell.ring()
    }

    /// Lets the thread look whether there is something to do.
    func wake() { bell.ring() }

    /// Waits until the thread has ended, after `close` was posted.
    func waitUntilClosed() { finished.wait() }

    private func run(_ worker: inout DecodeWorker) {
        while true {
            let taken = mailbox.withLock { mailbox in
                defer { mailbox.orders.removeAll(keepingCapacity: true) }
                return mailbox.orders
            }
            // Only the newest of several jumps is worth making.
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
