package import MediaLibrary
package import MediaScan

/// What the library is doing.
package struct LibraryStatus: Sendable {
    /// The update that is being done, by its number; `nil` when there is none.
    package var job: Int?
    /// Updates that wait for it.
    package var waiting = 0
    /// How far the scan is; `nil` when none is going on.
    package var progress: ScanProgress?
    /// Whether scans are held.
    package var isPaused = false
    /// Whether everything was read once.
    package var isComplete = false
    /// Whether changes of files are noticed by themselves.
    package var isWatched = false
    /// Directories that cannot be watched.
    package var unwatched: [String] = []
    /// Where the database lies.
    package var path = ""
    /// Why there is none, or why the last update could not be finished; `nil` when all is well.
    package var failure: String?

    package init() {}
}

/// What a library tells.
package enum LibraryEvent: Sendable {
    /// An update begins or has ended.
    case update
    /// Files are somewhere else; told again by the next start unless `MusicLibrary.followed` was called.
    case moved(PendingMoves)
    /// What is in the library has changed.
    case changed(LibraryOutcome)
    /// The index cannot be opened, or an update could not be finished: `MusicLibrary.retry` is to be called after a while.
    case failed(retryIn: Duration)
}

/// Why the library says nothing.
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
