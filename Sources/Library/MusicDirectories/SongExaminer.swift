internal import AudioTypes
private import Glibc
package import Songs
private import Synchronization
internal import Threads

/// Examines songs on a thread of its own (*segue-examine*, of low priority) and gives them back in batches.
///
/// It begins when no client has asked for more for a moment: one that adds many songs is not to wait for a processor. The
/// thread sleeps while there is nothing to do. Every method may be called from any thread and returns at once.
package final class SongExaminer: Sendable {
    /// The songs that were examined.
    package struct Batch: Sendable {
        package fileprivate(set) var songs: [Song] = []
        /// The URIs of what cannot be examined.
        package fileprivate(set) var failures: [String] = []
    }

    private let work: Work

    /// - Parameters:
    ///   - known: Gives a song that another reader has examined meanwhile; called on the examiner's thread.
    ///   - deliver: Gets each batch, on the examiner's thread; it must not block for long.
    package init(
        _ music: MusicDirectory,
        cache: SongCache,
        known: @escaping @Sendable (_ uri: String) -> Song? = { _ in nil },
        deliver: @escaping @Sendable (Batch) -> Void
    ) {
        let work = Work(deliver) { uri throws(MusicDirectoryError) in
            if let song = known(uri) { return song }
            return try music.song(uri, in: cache)
        }
        self.work = work
        WorkThread.startWhenPossible(named: "segue-examine") { work.run() }
    }

    deinit { work.stop() }

    /// Asks for songs, which come in this order; one that waits already is examined twice, the second time from the cache.
    package func examine(_ uris: [String]) { work.add(uris) }
}

/// The state that the two sides share.
private final class Work: Sendable {
    /// Songs in the order that they were asked for.
    private struct Line {
        private var uris: [String] = []
        private var next = 0

        mutating func append(_ more: [String]) { uris += more }

        mutating func takeFirst() -> String? {
            guard next < uris.count else { return nil }
            defer {
                next += 1
                // Half of it at once, so that a long line is not moved for each song.
                if next * 2 >= uris.count {
                    uris.removeFirst(next)
                    next = 0
                }
            }
            return uris[next]
        }
    }

    private struct State {
        var line = Line()
        /// When songs were asked for last, and first since there were none.
        var asked: (last: HostTime, first: HostTime)?
        /// Whether the thread looks by itself when it may begin, and need not be woken.
        var isResting = false
        var isStopped = false
    }

    private let deliver: @Sendable (SongExaminer.Batch) -> Void
    private let song: @Sendable (_ uri: String) throws(MusicDirectoryError) -> Song
    private let state = Mutex(State())
    private let bell = Doorbell()

    init(
        _ deliver: @escaping @Sendable (SongExaminer.Batch) -> Void,
        song: @escaping @Sendable (_ uri: String) throws(MusicDirectoryError) -> Song
    ) {
        (self.deliver, self.song) = (deliver, song)
    }

    func add(_ uris: [String]) {
        guard !uris.isEmpty else { return }
        let isNews = state.withLock { state in
            state.line.append(uris)
            let now = HostTime.now
            state.asked = (last: now, first: state.asked?.first ?? now)
            return !state.isResting
        }
        if isNews { bell.ring() }
    }

    func stop() {
        state.withLock { $0.isStopped = true }
        bell.ring()
    }

    // MARK: - The thread

    func run() {
        // On Linux a thread has a priority of its own; 0 is the calling one.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        var (batch, begun) = (SongExaminer.Batch(), HostTime.now)
        while true {
            switch next() {
            case .rest(let end):
                send(&batch)
                if state.withLock({ $0.isStopped }) { return }
                bell.wait(until: end)
                begun = .now
            case .song(let uri):
                do throws(MusicDirectoryError) {
                    batch.songs.append(try song(uri))
                } catch {
                    batch.failures.append(uri)
                }
                if batch.songs.count + batch.failures.count >= 128 || .now - begun > 0.2 {
                    send(&batch)
                    begun = .now
                }
            }
        }
    }

    private enum Turn {
        case song(String)
        /// `nil`: until there is something to do.
        case rest(until: HostTime?)
    }

    /// Seconds without a request before work begins, and for how long it is put off at most.
    private static let (lull, patience) = (0.05, 2.0)

    private func next() -> Turn {
        state.withLock { state in
            state.isResting = false
            guard !state.isStopped else { return .rest(until: nil) }
            if let asked = state.asked {
                let begin = min(asked.last + Self.lull, asked.first + Self.patience)
                guard begin <= .now else {
                    state.isResting = true
                    return .rest(until: begin)
                }
            }
            if let uri = state.line.takeFirst() { return .song(uri) }
            state.asked = nil
            return .rest(until: nil)
        }
    }

    private func send(_ batch: inout SongExaminer.Batch) {
        defer { batch = SongExaminer.Batch() }
        guard !batch.songs.isEmpty || !batch.failures.isEmpty, !state.withLock({ $0.isStopped }) else { return }
        deliver(batch)
    }
}
