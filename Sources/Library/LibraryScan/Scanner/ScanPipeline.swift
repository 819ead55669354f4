/// Hands files from the walk to the readers, and what they found to the writer.
///
/// Everything in it is bounded, so that a slow disk or a slow database holds the others up instead of filling the memory.
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
        var inbox = ScanBatch()
        var since = ContinuousClock.now
        var isWalkDone = false
        var readers = 0
        var isCancelled = false
    }

    private let state: Monitor<State>

    init(readers: Int, batchSize: Int) {
        self.batchSize = batchSize
        var state = State()
        state.readers = readers
        self.state = Monitor(state)
    }

    /// From the walk: files to be read.
    ///
    /// Waits while there are enough.
    func add(_ chunk: Chunk) {
        state.wait { state -> Void? in
            guard state.chunks.count < Self.chunkLimit || state.isCancelled else { return nil }
            if !state.isCancelled { state.chunks.append(chunk) }
            return ()
        }
    }

    /// From the walk: what needs no reading.
    func add(_ batch: ScanBatch) {
        state.wait { state -> Void? in
            guard state.inbox.folders.count < inboxLimit || state.isCancelled else { return nil }
            Self.put(batch, &state)
            return ()
        }
    }

    /// From the walk: there is no more.
    func finishWalk() { state.change { $0.isWalkDone = true } }

    /// To a reader; `nil` ends it.
    func nextChunk() -> Chunk? {
        state.wait { state -> Chunk?? in
            if state.isCancelled { return .some(nil) }
            if !state.chunks.isEmpty, state.inbox.files.count < inboxLimit { return state.chunks.removeFirst() }
            return state.chunks.isEmpty && state.isWalkDone ? .some(nil) : nil
        }
    }

    /// From a reader: a chunk's files.
    ///
    /// - Parameter isWhole: Whether all of them were read; else the directory is not finished.
    func add(_ files: [ScannedFile], of folder: FolderJob, isWhole: Bool) {
        state.change { state in
            var batch = ScanBatch()
            batch.files = files
            // Under the lock, so that the last chunk's reader sees it is the last.
            if isWhole, let outcome = folder.finish(files) { batch.append(outcome) }
            Self.put(batch, &state)
        }
    }

    func finishReader() { state.change { $0.readers -= 1 } }

    /// To the writer; `nil` when there is nothing more.
    func nextBatch(flushes: () -> Bool) -> ScanBatch? {
        state.wait { state -> ScanBatch?? in
            let isLast = state.isWalkDone && state.readers == 0
            let isDue =
                max(state.inbox.files.count, state.inbox.folders.count) >= batchSize
                || ContinuousClock.now - state.since > Self.patience || isLast
                || flushes()
            guard isDue, !state.inbox.isEmpty else { return isLast ? .some(nil) : nil }
            defer { state.inbox = ScanBatch() }
            return state.inbox
        }
    }

    /// Ends the walk and the readers.
    func cancel() {
        state.change { state in
            state.isCancelled = true
            state.chunks = []
        }
    }

    /// Wakes the writer to look whether it is to write what there is.
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

    /// - Parameter outcome: What is stored when the last of its files has been read.
    init(_ folder: OpenFolder, outcome: ScanBatch, chunks: Int) {
        self.folder = folder
        state = Monitor(State(outcome: outcome, chunks: chunks))
    }

    /// Takes note of a chunk's files.
    ///
    /// - Returns: What is to be stored with the last ones; `nil` when there are more to come.
    func finish(_ files: [ScannedFile]) -> ScanBatch? {
        state.change { state in
            if files.contains(where: \.isUnread) {
                // Only a directory without one is asked about its files again.
                for index in state.outcome.folders.indices { state.outcome.folders[index].fingerprint = .none }
            }
            state.chunks -= 1
            return state.chunks == 0 ? state.outcome : nil
        }
    }
}
