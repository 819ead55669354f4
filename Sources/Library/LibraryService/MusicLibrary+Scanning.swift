private import Glibc
internal import LibraryIndex
internal import LibraryScan
internal import MusicDirectories
internal import Threads

/// The library's own thread.
extension MusicLibrary {
    func run() {
        // On Linux each thread has its own priority; 0 is the calling thread.
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 10)
        while mayOpen() {
            guard let library = open() else { continue }
            while let work = nextWork() {
                switch work {
                case .update(let job): update(job, library)
                case .measure: measure(library)
                case .keep(let songs): keep(songs, library)
                case .measureLoudness: measureLoudness(library)
                case .keepLoudness(let results): keepLoudness(results, library)
                }
            }
        }
        state.change { $0.hasStopped = true }
    }

    // MARK: - Opening

    /// Sleeps until the index should be opened; `false` when the library is being stopped.
    private func mayOpen() -> Bool {
        state.wait { state -> Bool? in
            if state.isStopping { return false }
            guard state.wantsToOpen else { return nil }
            state.wantsToOpen = false
            return true
        }
    }

    private func open() -> Library? {
        do {
            let library = try Library(path: options.path)
            for path in library.setAside {
                log(
                    .warning,
                    "the library was damaged or of another version, and is rebuilt; the old one is kept as '\(path)'"
                )
            }
            let root = options.music.root
            let isComplete = try library.reader.completeRoot() == root
            let unfinished = try library.reader.unfinishedScan()
            let isReadOtherwise = try library.writer.read(in: options.music.charsets)
            try reportMoves(library)
            let counts = try library.reader.loudnessCounts()
            let leftOut = try unlisted(options.music.marks?.barred ?? [], library)
            let shows = state.change { state in
                state.library = library
                state.failure = nil
                state.failures = 0
                state.loudness.counts = counts
                state.isComplete = isComplete
                if !isComplete || isReadOtherwise || options.followsChanges {
                    _ = state.updates.add("", rereads: isComplete && unfinished?.rereads == true)
                } else if let unfinished {
                    _ = state.updates.add(unfinished.uri, rereads: unfinished.rereads)
                }
                // The scanner does not read barred files, but reports each as a problem.
                for uri in leftOut { _ = state.updates.add(uri, rereads: true) }
                state.isOpening = false
                return state.updates.isIdle
            }
            // Clients that asked meanwhile were shown a running update.
            if shows { report(.update) }
            return library
        } catch {
            let reason = "\(error)"
            let isNews = state.change { state in
                defer {
                    state.failure = .failed(reason)
                    state.isOpening = false
                }
                return state.failure != .failed(reason)
            }
            if isNews { log(.error, reason) }
            report(.update)
            askForRetry()
            return nil
        }
    }

    /// Barred files that are not yet among the library's problems.
    private func unlisted(_ barred: [String], _ library: Library) throws -> [String] {
        guard !barred.isEmpty else { return [] }
        let listed = Set(try library.reader.problems().filter { $0.reason == ReadingMarks.reason }.map(\.uri))
        return barred.filter { !listed.contains($0) }
    }

    /// Requests a retry after a failure, with growing delays.
    private func askForRetry() {
        let failures = state.change { state in
            state.failures += 1
            return state.failures
        }
        let seconds = min(Self.longestPause, Self.shortestPause << min(failures - 1, 16))
        report(.failed(retryIn: .seconds(seconds)))
    }

    /// In seconds.
    private static let (shortestPause, longestPause) = (5, 900)

    private func watch() {
        do {
            let watcher = try LibraryWatcher(
                root: options.music.root,
                followsInsideLinks: options.music.followsInsideLinks,
                followsOutsideLinks: options.music.followsOutsideLinks
            ) { [weak self] parts in
                self?.state.change { state in
                    state.updates.add(watched: parts.map { .init(uri: $0.uri, isRecursive: $0.isRecursive) })
                }
            }
            state.change { $0.watcher = watcher }
            let count = watcher.unwatched.count
            if count > 0 {
                log(.info, "\(count) directories cannot be watched; they are scanned every 15 minutes")
            }
        } catch {
            log(.warning, "\(error); use 'segue update' when files have changed")
        }
    }

    // MARK: - Jobs

    enum Work {
        case update(UpdateQueue.Job)
        /// Measure estimated durations, since nothing else is to be done.
        case measure
        case keep([MeasuredSong])
        /// Measure loudness, since all durations are known.
        case measureLoudness
        case keepLoudness([SongLoudness])
    }

    /// Sleeps until there is work; `nil` when the thread should end.
    func nextWork() -> Work? {
        state.wait { state -> Work?? in
            if !state.isStopping, let job = state.updates.begin() {
                state.measurement?.cancel()
                return .update(job)
            }
            if !state.measured.isEmpty {
                defer { state.measured = [] }
                return .keep(state.measured)
            }
            if !state.loudness.results.isEmpty {
                return .keepLoudness(state.loudness.results)
            }
            if state.measurement != nil { return nil }
            if state.isStopping { return .some(nil) }
            if state.isPaused { return nil }
            if state.mayHaveEstimates { return .measure }
            return state.loudness.isWanted && state.loudness.mayHaveSongs ? .measureLoudness : nil
        }
    }

    private func update(_ job: UpdateQueue.Job, _ library: Library) {
        report(.update)
        carryOut(job, library)
        let counts = try? library.reader.loudnessCounts()
        state.change { state in
            if let counts { state.loudness.counts = counts }
            state.updates.end()
            state.control = nil
            state.mayHaveEstimates = true
            state.loudness.mayHaveSongs = true
            state.loudness.last = 0
        }
        report(.update)
    }

    private func carryOut(_ job: UpdateQueue.Job, _ library: Library) {
        let control = ScanControl()
        let (isPaused, isStopping) = state.change { state in
            state.control = control
            return (state.isPaused, state.isStopping)
        }
        if isPaused { control.pause() }
        if isStopping { return }
        let sink = IndexSink(library, options.music)
        defer { if control.progress.files > Self.fewFiles { giveBackMemory() } }
        do {
            // Only once the index can be queried, since a dead file system may block this; after that, directories that
            // were missing may exist.
            if options.followsChanges, state.read({ $0.watcher == nil }) { watch() }
            let hasEnded = try scan(job, library, sink, control)
            try reportMoves(library)
            state.change { state in
                state.problem = nil
                state.failures = 0
            }
            tell(control.progress, sink.takeOutcome(), hasEnded)
        } catch {
            // The changes written before a failure; their moves are reported once all of them are known.
            let outcome = sink.takeOutcome()
            if !outcome.isEmpty { report(.changed(outcome)) }
            recordFailure(error)
        }
    }

    /// Up to this many files, the heap is not trimmed after a scan.
    private static let fewFiles = 500

    private func tell(_ progress: ScanProgress, _ outcome: LibraryOutcome, _ hasEnded: Bool) {
        log(
            .info,
            (hasEnded ? "updated the library" : "the library's update was aborted")
                + ": \(max(0, outcome.added)) added, \(outcome.changed) changed, \(max(0, outcome.removed)) removed,"
                + " \(outcome.moves.count) moved; \(progress.files) files checked, \(progress.problems) problems"
        )
        if !outcome.isEmpty { report(.changed(outcome)) }
    }

    /// Stores why an update failed, until one succeeds.
    private func recordFailure(_ error: any Error) {
        if let error = error as? LibraryError, case .damaged = error {
            state.change { $0.problem = nil }
            return handle(error)
        }
        let reason = "\(error)"
        let isNews = state.change { state in
            defer { state.problem = reason }
            return state.problem != reason
        }
        if isNews { log(.error, reason) }
        askForRetry()
    }

    /// - Returns: Whether the scan was completed.
    private func scan(
        _ job: UpdateQueue.Job,
        _ library: Library,
        _ sink: IndexSink,
        _ control: ScanControl
    ) throws -> Bool {
        let record = try library.writer.beginScan(job.uri, rereads: job.rereads)
        var scanOptions = LibraryScanner.Options(root: options.music.root)
        scanOptions.followsInsideLinks = options.music.followsInsideLinks
        scanOptions.followsOutsideLinks = options.music.followsOutsideLinks
        scanOptions.readsAll = job.rereads
        scanOptions.marks = options.music.marks
        scanOptions.charsets = options.music.charsets
        scanOptions.isAnotherRoot = try library.reader.completeRoot().map { $0 != options.music.root } ?? false
        let scanner = LibraryScanner(scanOptions, sink: sink, examiner: LibavformatExaminer())
        let parts = job.parts.map { LibraryScanner.Part($0.uri, isRecursive: $0.isRecursive) }
        try scanner.scan(parts, control: control)
        if state.read(\.isStopping) { return false }
        sink.add(try library.writer.endScan(record))
        guard job.parts.contains(.init(uri: "", isRecursive: true)) else { return true }
        try library.writer.setCompleteRoot(options.music.root)
        state.change { $0.isComplete = true }
        return true
    }
}
