internal import MediaHeaders
import Threads

/// Passes files from the walk to the readers, and their results to the writer.
///
/// All queues are bounded, so that a slow disk or a slow database slows the others down instead of filling the memory.
final class ScanPipeline: Sendable {
    private static let patience = Duration.seconds(1)
    private static let chunkLimit = 32
    private let batchSize: Int
    private var inboxLimit: Int { 4 * batchSize }

    /// Some files of one directory, which one thread reads.
    struct Chunk: Sendable {
        let folder: FolderJob
        let files: [FileJob]
    }

    private struct State {
        var chunks: [Chunk] = []
        /// Files that may crash the process; each is read alone, after all others are stored.
        var suspects: [Chunk] = []
        /// Chunks that are being read.
        var busy = 0
        /// Whether a batch is being stored.
        var isStoring = false
        var inbox = ScanBatch()
        var since = ContinuousClock.now
        var isWalkDone = false
        var readers = 0
        var isCancelled = false

        /// Whether everything but the suspects has been read.
        var isDrained: Bool { isWalkDone && chunks.isEmpty && busy == 0 }
    }

    private let state: Monitor<State>

    init(readers: Int, batchSize: Int) {
        self.batchSize = batchSize
        var state = State()
        state.readers = readers
        self.state = Monitor(state)
    }

    /// Called by the walk: adds files to be read.
    ///
    /// Waits while the queue is full.
    func add(_ chunk: Chunk) {
        state.wait { state -> Void? in
            guard state.chunks.count < Self.chunkLimit || state.isCancelled else { return nil }
            if !state.isCancelled { state.chunks.append(chunk) }
            return ()
        }
    }

    /// Called by the walk: adds a file that may crash the process.
    func add(suspect chunk: Chunk) {
        state.change { state in
            if !state.isCancelled { state.suspects.append(chunk) }
        }
    }

    /// Called by the walk: adds results that need no reading.
    func add(_ batch: ScanBatch) {
        state.wait { state -> Void? in
            guard state.inbox.folders.count < inboxLimit || state.isCancelled else { return nil }
            Self.put(batch, &state)
            return ()
        }
    }

    /// Called by the walk at its end.
    func finishWalk() { state.change { $0.isWalkDone = true } }

    /// Called by a reader: the next files to read; `nil` ends the reader.
    func nextChunk() -> Chunk? {
        state.wait { state -> Chunk?? in
            if state.isCancelled { return .some(nil) }
            if !state.chunks.isEmpty, state.inbox.files.count < inboxLimit {
                state.busy += 1
                return state.chunks.removeFirst()
            }
            if !state.suspects.isEmpty, state.isDrained, state.inbox.isEmpty, !state.isStoring {
                state.busy += 1
                return state.suspects.removeFirst()
            }
            return state.chunks.isEmpty && state.suspects.isEmpty && state.isWalkDone ? .some(nil) : nil
        }
    }

    /// Called by a reader: adds the results of a chunk.
    ///
    /// - Parameter isWhole: Whether all its files were read; otherwise the directory stays unfinished.
    func add(_ files: [ScannedFile], of folder: FolderJob, isWhole: Bool) {
        state.change { state in
            var batch = ScanBatch()
            batch.files = files
            // Under the lock, so that exactly one reader sees that its chunk is the last.
            if isWhole, let outcome = folder.finish(files) { batch.append(outcome) }
            state.busy -= 1
            Self.put(batch, &state)
        }
    }

    func finishReader() { state.change { $0.readers -= 1 } }

    /// Called by the writer: the next batch; `nil` at the end.
    func nextBatch(flushes: () -> Bool) -> ScanBatch? {
        state.change { $0.isStoring = false }
        return state.wait { state -> ScanBatch?? in
            let isLast = state.isWalkDone && state.readers == 0
            let isDue =
                max(state.inbox.files.count, state.inbox.folders.count) >= batchSize
                || ContinuousClock.now - state.since > Self.patience || isLast
                || !state.suspects.isEmpty && state.isDrained
                || flushes()
            guard isDue, !state.inbox.isEmpty else { return isLast ? .some(nil) : nil }
            defer { state.inbox = ScanBatch() }
            state.isStoring = true
            return state.inbox
        }
    }

    /// Stops the walk and the readers.
    func cancel() {
        state.change { state in
            state.isCancelled = true
            state.chunks = []
            state.suspects = []
        }
    }

    /// Wakes the writer to check whether a batch is due.
    func wake() { state.change { _ in } }

    private static func put(_ batch: ScanBatch, _ state: inout State) {
        if state.inbox.isEmpty { state.since = .now }
        state.inbox.append(batch)
    }
}

/// A directory whose files are being read.
final class FolderJob: Sendable {
    let folder: OpenFolder
    private struct State {
        var outcome: ScanBatch
        var chunks: Int
    }

    private let state: Monitor<State>

    /// - Parameter outcome: Stored after the last of its files has been read.
    init(_ folder: OpenFolder, outcome: ScanBatch, chunks: Int) {
        self.folder = folder
        state = Monitor(State(outcome: outcome, chunks: chunks))
    }

    /// Counts a chunk's files as read.
    ///
    /// - Returns: The directory's outcome, after its last chunk; `nil` while more follow.
    func finish(_ files: [ScannedFile]) -> ScanBatch? {
        state.change { state in
            if files.contains(where: \.isUnread) {
                // Without a fingerprint, the next scan checks the directory's files again.
                for index in state.outcome.folders.indices { state.outcome.folders[index].fingerprint = .none }
            }
            state.chunks -= 1
            return state.chunks == 0 ? state.outcome : nil
        }
    }
}
