package import LibraryIndex
package import LibraryScan

/// The state of the library.
package struct LibraryStatus: Sendable {
    /// The number of the current update; `nil` when none is running.
    package var job: Int?
    /// The number of updates waiting.
    package var waiting = 0
    /// The progress of the current scan; `nil` when none is running.
    package var progress: ScanProgress?
    /// Whether scans are paused.
    package var isPaused = false
    /// Whether one scan has read everything.
    package var isComplete = false
    /// Whether changes of files are detected automatically.
    package var isWatched = false
    /// Directories that cannot be watched.
    package var unwatched: [String] = []
    /// How many sounds have been measured; `nil` until that was counted.
    package var loudness: LoudnessCounts?
    /// Whether loudness is being measured at this moment; true until the results are stored and counted.
    package var measuresLoudness = false
    /// The path of the database.
    package var path = ""
    /// Why the library is not available, or why the last update failed; `nil` when all is well.
    package var failure: String?

    package init() {}
}

/// An event of the library.
package enum LibraryEvent: Sendable {
    /// An update has started or ended.
    case update
    /// Files have moved; reported again at the next start unless `MusicLibrary.followed` is called.
    case moved(PendingMoves)
    /// The library's contents have changed.
    case changed(LibraryOutcome)
    /// A measurement of loudness has started or ended; ``LibraryStatus/loudness`` is current.
    case loudness
    /// The index cannot be opened, or an update has failed: call `MusicLibrary.retry` after the given time.
    case failed(retryIn: Duration)
}

/// Why the library cannot be queried.
package enum LibraryUnavailable: Error, Sendable, Hashable, CustomStringConvertible {
    case failed(String)
    case isClosed

    package var description: String {
        switch self {
        case .failed(let reason): reason
        case .isClosed: "the library is closed"
        }
    }
}
