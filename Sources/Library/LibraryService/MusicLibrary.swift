private import Glibc
package import LibraryIndex
internal import LibraryScan
package import MusicDirectories
internal import Threads

/// The library of a music directory: the index, the updates that keep it current, and queries.
///
/// Scans run one after another on a low-priority thread of their own (*segue-library*). Of these functions, only
/// `read`, `close` and `followed` wait for a disk.
package final class MusicLibrary: Sendable {
    package struct Options: Sendable {
        package var music: MusicDirectory
        /// The path of the database.
        package var path: String
        /// Whether changes of files are detected automatically.
        package var followsChanges: Bool

        package init(music: MusicDirectory, path: String, followsChanges: Bool) {
            self.music = music
            self.path = path
            self.followsChanges = followsChanges
        }
    }

    /// Log severity.
    package enum Severity: Sendable { case info, warning, error }

    struct State {
        var library: Library?
        var failure: LibraryUnavailable?
        /// Until the work at the start is known.
        var isOpening = true
        var updates = UpdateQueue()
        var control: ScanControl?
        var watcher: LibraryWatcher?
        var isPaused = false
        var isComplete = false
        /// Until it is known that no duration is an estimate.
        var mayHaveEstimates = true
        var measurement: Measurement?
        var loudness = LoudnessState()
        /// Measurements to be stored.
        var measured: [MeasuredSong] = []
        /// The number of the last reported move.
        var toldMove = 0
        var isStopping = false
        var hasStopped = false
        /// Why the last update failed.
        var problem: String?
        /// Consecutive failures.
        var failures = 0
        var wantsToOpen = true
    }

    let options: Options
    let state = Monitor(State())
    let log: @Sendable (Severity, String) -> Void
    let report: @Sendable (LibraryEvent) -> Void

    /// Opens the library in the background, and updates it if necessary.
    ///
    /// - Parameter report: Called on the library's thread; must not block for long.
    package init(
        _ options: Options,
        log: @escaping @Sendable (Severity, String) -> Void,
        report: @escaping @Sendable (LibraryEvent) -> Void
    ) {
        self.options = options
        self.log = log
        self.report = report
    }

    /// Must be called once, when events can be received.
    package func start() {
        keepLittleMemory()
        WorkThread.startWhenPossible(named: "segue-library") { self.run() }
    }

    // MARK: - Queries

    /// Whether everything has been scanned once, so that songs missing from the library do not exist.
    package var isComplete: Bool { state.read { $0.isComplete && $0.library != nil } }

    /// Changes whenever the index changes; cheap.
    package var generation: Int { state.read { $0.library?.generation ?? 0 } }

    /// Queries the index; waits until it is open.
    ///
    /// Blocks.
    package func read<Value>(_ body: (LibraryReader) throws -> Value) throws -> Value {
        let library = try state.wait { state -> Result<Library, LibraryUnavailable>? in
            if let failure = state.failure { return .failure(failure) }
            if state.isStopping { return .failure(.isClosed) }
            return state.library.map { .success($0) }
        }.get()
        do {
            return try body(library.reader)
        } catch let error as LibraryError {
            handle(error)
            throw error
        }
    }

    /// The result of `stats`, if it was asked for since the contents last changed; cheap.
    package var knownStats: LibraryStats? { state.read { $0.library?.knownStats } }

    package var status: LibraryStatus {
        state.read { state in
            var status = LibraryStatus()
            status.job = state.updates.number ?? (state.isOpening ? 1 : nil)
            status.waiting = state.updates.waiting.count
            status.progress = state.control?.progress
            status.isPaused = state.isPaused
            status.isComplete = state.isComplete
            status.isWatched = state.watcher != nil
            status.unwatched = state.watcher?.unwatched ?? []
            status.loudness = state.loudness.counts
            status.measuresLoudness = state.measurement?.subject == .loudness || !state.loudness.results.isEmpty
            status.path = options.path
            status.failure = state.failure?.description ?? state.problem
            return status
        }
    }

    /// The number of the current update; cheap.
    package var updateNumber: Int? {
        state.read { $0.updates.number ?? ($0.isOpening && !$0.isStopping ? 1 : nil) }
    }

    // MARK: - Updating

    /// Queues an update of a part of the music directory.
    ///
    /// - Parameter uri: A directory or a file; empty for everything.
    /// - Parameter rereads: Whether to read unchanged files, too.
    /// - Returns: The update's number; `nil` when too many updates wait.
    package func update(_ uri: String, rereads: Bool) -> Int? {
        state.change { $0.isStopping ? nil : $0.updates.add(uri, rereads: rereads) }
    }

    /// Pauses or resumes scans.
    package func setPaused(_ isPaused: Bool) {
        let control = state.change { state in
            state.isPaused = isPaused
            if isPaused { state.measurement?.cancel() }
            return state.control
        }
        if isPaused { control?.pause() } else { control?.resume() }
    }

    /// Scans the directories that cannot be watched.
    package func updateUnwatched() {
        let parts = status.unwatched.map { UpdateQueue.Part(uri: $0, isRecursive: true) }
        if !parts.isEmpty { state.change { $0.updates.add(watched: parts) } }
    }

    /// Retries what has failed, if anything.
    package func retry() {
        state.change { state in
            if state.failure != nil { state.wantsToOpen = true }
            if state.problem != nil, state.updates.isIdle { _ = state.updates.add("", rereads: false) }
        }
    }

    /// Begins to stop the current work, keeping its results so far.
    package func stop() {
        let (control, watcher) = state.change { state in
            state.isStopping = true
            state.measurement?.cancel()
            defer { state.watcher = nil }
            return (state.control, state.watcher)
        }
        _ = watcher
        control?.cancel()
    }

    /// Stops the current work and closes the index.
    ///
    /// Blocks, for long on a dead network file system.
    package func close() {
        stop()
        state.wait { $0.hasStopped ? () : nil }
        let library = state.change { state in
            defer { state.library = nil }
            return state.library
        }
        library?.close()
    }

    /// Records that everything that names moved files has been updated.
    ///
    /// Blocks.
    package func followed(_ moves: PendingMoves) {
        guard let library = state.read({ $0.isStopping ? nil : $0.library }) else { return }
        do {
            try library.writer.forgetMoves(through: moves.last)
        } catch {
            handle(error)
        }
    }

    /// Reports the moves that have not been reported since the start.
    func reportMoves(_ library: Library) throws(LibraryError) {
        let told = state.read(\.toldMove)
        let moves = try library.reader.moves(after: told, isRepeated: state.read(\.isOpening))
        guard moves.last > told else { return }
        state.change { $0.toldMove = moves.last }
        report(.moved(moves))
    }

    /// Handles an error of the index.
    func handle(_ error: LibraryError) {
        if error.isOfQuestion { return }
        log(.error, "\(error)")
        guard case .damaged = error else { return }
        state.change { state in
            state.isComplete = false
            state.toldMove = 0
            _ = state.updates.add("", rereads: false)
        }
    }
}
