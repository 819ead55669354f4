internal import AudioTypes
private import Glibc
internal import Mixing
package import Songs
private import Synchronization

/// Examines songs on a thread of its own (*segue-examine*, of low priority) and gives them back in batches.
///
/// The thread sleeps while there is nothing to do. Every method may be called from any thread and returns at once.
package final class SongExaminer: Sendable {
    /// What to do first.
    package enum Priority: Sendable, Hashable, CaseIterable {
        /// Somebody waits for it: before all background work, in the order asked.
        case now
        /// When nobody has asked for more for a moment: whoever adds many songs is not to wait for a processor.
        case background
    }

    /// What was found, all asked for under one generation.
    package struct Batch: Sendable {
        package let generation: Int
        package let songs: [Song]
        package let failures: [MusicFilesError]
    }

    private let work: Work

    /// - Parameter deliver: Gets each batch, on the examiner's thread; it must not block for long.
    package init(
        _ music: MusicDirectory,
        cache: SongCache,
        keepsComments: Bool = false,
        deliver: @escaping @Sendable (Batch) -> Void
    ) {
        let work = Work(music, cache, keepsComments: keepsComments, deliver)
        self.work = work
        WorkThread.start(named: "segue-examine") { work.run() }
    }

    deinit { work.stop() }

    /// Asks for songs; one that waits already is examined twice, the second time from the cache.
    ///
    /// - Parameter generation: Comes back with the songs, and is what `cancel` goes by.
    package func examine(_ uris: [String], _ priority: Priority, generation: Int = 0) {
        work.add(uris, priority, generation)
    }

    /// Forgets what was asked for under an earlier generation; what is being examined now is not delivered.
    package func cancel(before generation: Int) { work.cancel(before: generation) }
}

/// What the two sides share.
private final class Work: Sendable {
    /// Songs in the order that they were asked for.
    private struct Line {
        private var items: [(uri: String, generation: Int)] = []
        private var next = 0

        mutating func append(_ uris: [String], _ generation: Int) {
            for uri in uris { items.append((uri, generation)) }
        }

        mutating func takeFirst() -> (uri: String, generation: Int)? {
            guard next < items.count else { return nil }
            defer {
                next += 1
                // Half of it at once, so that a long line is not moved for each song.
                if next * 2 >= items.count {
                    items.removeFirst(next)
                    next = 0
                }
            }
            return items[next]
        }

        mutating func removeAll(before generation: Int) {
            items = items[next...].filter { $0.generation >= generation }
            next = 0
        }
    }

    private struct State {
        var urgent = Line()
        var background = Line()
        /// When background work was asked for last, and first since there was none.
        var asked: (last: HostTime, first: HostTime)?
        /// Whether the thread looks by itself when it may begin, and need not be woken.
        var isResting = false
        var earliestGeneration = Int.min
        var isStopped = false
    }

    private let music: MusicDirectory
    private let cache: SongCache
    private let keepsComments: Bool
    private let deliver: @Sendable (SongExaminer.Batch) -> Void
    private let state = Mutex(State())
    private let bell = Doorbell()

    init(
        _ music: MusicDirectory,
        _ cache: SongCache,
        keepsComments: Bool,
        _ deliver: @escaping @Sendable (SongExaminer.Batch) -> Void
    ) {
        self.music = music
        self.cache = cache
        self.keepsComments = keepsComments
        self.deliver = deliver
    }

    func add(_ uris: [String], _ priority: SongExaminer.Priority, _ generation: Int) {
        guard !uris.isEmpty else { return }
        let isNews = state.withLock { state in
            guard generation >= state.earliestGeneration else { return false }
            switch priority {
            case .now:
                state.urgent.append(uris, generation)
                return true
            case .background:
                state.background.append(uris, generation)
                let now = HostTime.now
                state.asked = (last: now, first: state.asked?.first ?? now)
                return !state.isResting
            }
        }
        if isNews { bell.ring() }
    }

    func cancel(before generation: Int) {
        state.withLock { state in
            state.earliestGeneration = max(state.earliestGeneration, generation)
            state.urgent.removeAll(before: generation)
            state.background.removeAll(before: generation)
        }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        bell.ring()
    }

    // MARK: - The thread

    func run() {
        // On Linux a thread has a priority of its own; 0 is the calling one.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        var batch = Batching()
        while true {
            let (uri, priority, generation): (String, SongExaminer.Priority, Int)
            switch next() {
            case .song(let song): (uri, priority, generation) = song
            case .rest(let end):
                send(&batch)
                if state.withLock({ $0.isStopped }) { return }
                bell.wait(until: end)
                continue
            }
            if batch.generation != generation || batch.priority != priority { send(&batch) }
            batch.generation = generation
            batch.priority = priority
            do throws(MusicFilesError) {
                batch.songs.append(try music.song(uri, in: cache, keepsComments: keepsComments))
            } catch {
                batch.failures.append(error)
            }
            if batch.isDue { send(&batch) }
        }
    }

    private enum Turn {
        case song((String, SongExaminer.Priority, Int))
        /// `nil`: until there is something to do.
        case rest(until: HostTime?)
    }

    /// Seconds without a request before background work begins, and for how long it is put off at most.
    private static let (lull, patience) = (0.05, 2.0)

    private func next() -> Turn {
        state.withLock { state in
            state.isResting = false
            guard !state.isStopped else { return .rest(until: nil) }
            if let (uri, generation) = state.urgent.takeFirst() { return .song((uri, .now, generation)) }
            if let asked = state.asked {
                let begin = min(asked.last + Self.lull, asked.first + Self.patience)
                guard begin <= .now else {
                    state.isResting = true
                    return .rest(until: begin)
                }
            }
            if let (uri, generation) = state.background.takeFirst() { return .song((uri, .background, generation)) }
            state.asked = nil
            return .rest(until: nil)
        }
    }

    private func send(_ batch: inout Batching) {
        defer { batch = Batching() }
        let isWanted = state.withLock { batch.generation >= $0.earliestGeneration && !$0.isStopped }
        guard isWanted, !batch.songs.isEmpty || !batch.failures.isEmpty else { return }
        deliver(.init(generation: batch.generation, songs: batch.songs, failures: batch.failures))
    }
}

/// A batch that is being filled.
private struct Batching {
    var generation = 0
    var priority = SongExaminer.Priority.background
    var songs: [Song] = []
    var failures: [MusicFilesError] = []
    private let start = ContinuousClock.now

    /// Whether it is to be sent: urgent ones early, others by the hundred.
    var isDue: Bool {
        let count = songs.count + failures.count
        let patience = priority == .now ? Duration.milliseconds(20) : .milliseconds(200)
        return count >= 128 || ContinuousClock.now - start > patience
    }
}
