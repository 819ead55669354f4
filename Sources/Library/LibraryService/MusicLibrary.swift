private import Glibc
package import MediaLibrary
internal import MediaScan
internal import Mixing
package import MusicFiles

/// The library of a music directory: an index, what keeps it up to date, and a way to ask it.
///
/// Scans run one after another on a thread of their own (*segue-library*) of low priority. Nothing here but `read` and
/// `close` waits for a disk.
package final class MusicLibrary: Sendable {
    package struct Options: Sendable {
        package var music: MusicDirectory
        /// The database's.
        package var path: String
        /// Whether changes of files are noticed by themselves.
        package var followsChanges: Bool

        package init(music: MusicDirectory, path: String, followsChanges: Bool) {
            self.music = music
            self.path = path
            self.followsChanges = followsChanges
        }
    }

    /// How bad it is what is said.
    package enum Severity: Sendable { case info, warning, error }

    struct State {
        var library: Library?
        var failure: LibraryUnavailable?
        /// Until what is to be done at the start is known.
        var isOpening = true
        var updates = UpdateQueue()
        var control: ScanControl?
        var watcher: LibraryWatcher?
        var isPaused = false
        var isComplete = false
        /// Until it is known that no duration is estimated.
        var mayHaveEstimates = true
        var measurement: Measurement?
        /// To be written down.
        var measured: [MeasuredSong] = []
        /// The number of the last move that was told.
        var toldMove = 0
        var isStopping = false
        var hasStopped = false
        /// Why the last update could not be finished.
        var problem: String?
        /// Failures one after the other.
        var failures = 0
        var wantsToOpen = true
    }

    let options: Options
    let state = Monitor(State())
    let log: @Sendable (Severity, String) -> Void
    let report: @Sendable (LibraryEvent) -> Void

    /// Begins to open the library, and to bring it up to date where it has to be.
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

    /// To be called once, when events may come.
    package func start() {
        keepLittleMemory()
        WorkThread.start(named: "segue-library") { self.run() }
    }

    // MARK: - Asking

    /// Whether everything was read once, so that what is not in the library is not there.
    package var isComplete: Bool { state.read { $0.isComplete && $0.library != nil } }

    /// Changes with every change to what is in the index; cheap.
    package var generation: Int { state.read { $0.library?.generation ?? 0 } }

    /// Asks the index; waits until it is open.
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
            status.path = options.path
            status.failure = state.failure?.description ?? state.problem
            return status
        }
    }

    /// The update that is being done, by its number; cheap.
    package var updateNumber: Int? {
        state.read { $0.updates.number ?? ($0.isOpening && !$0.isStopping ? 1 : nil) }
    }

    // MARK: - Updating

    /// Has a part of the music directory looked at.
    ///
    /// - Parameter uri: Of a directory or a file; empty for everything.
    /// - Parameter rereads: Whether files are read that have not changed.
    /// - Returns: The update's number; `nil` when too many wait.
    package func update(_ uri: String, rereads: Bool) -> Int? {
        state.change { $0.isStopping ? nil : $0.updates.add(uri, rereads: rereads) }
    }

    /// Holds scans, or lets them go on.
    package func setPaused(_ isPaused: Bool) {
        let control = state.change { state in
            state.isPaused = isPaused
            if isPaused { state.measurement?.cancel() }
            return state.control
        }
        if isPaused { control?.pause() } else { control?.resume() }
    }

    /// Looks at the directories that cannot be watched.
    package func updateUnwatched() {
        let parts = status.unwatched.map { UpdateQueue.Part(uri: $0, isRecursive: true) }
        if !parts.isEmpty { state.change { $0.updates.add(watched: parts) } }
    }

    /// Tries again what has failed; nothing if nothing has.
    package func retry() {
        state.change { state in
            if state.failure != nil { state.wantsToOpen = true }
            if state.problem != nil, state.updates.isIdle { _ = state.updates.add("", rereads: false) }
        }
    }

    /// Begins to end what is going on, keeping what was read.
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

    /// Ends what is going on, and closes the index.
    ///
    /// Blocks, on a dead network file system for long.
    package func close() {
        stop()
        state.wait { $0.hasStopped ? () : nil }
        let library = state.change { state in
            defer { state.library = nil }
            return state.library
        }
        library?.close()
    }

    /// Notes that all that named moved files names them where they are now.
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

    /// Tells of the moves that were not told since the start.
    func reportMoves(_ library: Library) throws(LibraryError) {
        let told = state.read(\.toldMove)
        let moves = try library.reader.moves(after: told, isRepeated: state.read(\.isOpening))
        guard moves.last > told else { return }
        state.change { $0.toldMove = moves.last }
        report(.moved(moves))
    }

    /// What to do about a fault of the index.
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
