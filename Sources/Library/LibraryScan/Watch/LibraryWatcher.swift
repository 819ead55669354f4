private import Glibc
internal import Mixing
private import Synchronization

/// Tells which directories of a music directory have changed, as soon as they have, by inotify(7).
///
/// A thread of its own (*segue-watch*) sleeps until the system has something to say. What changes at once is told once, by
/// directories; when the system had to drop events, and when the music directory itself comes or goes, everything is said
/// to have changed.
package final class LibraryWatcher: Sendable {
    private let watch: DirectoryWatch
    /// Closing it ends the thread.
    private let stop: Int32

    /// Begins to watch; blocks until all directories are watched.
    ///
    /// - Parameter deliver: Gets what is to be scanned, on the watcher's thread; it must not block for long.
    package init(
        root: String,
        followsInsideLinks: Bool = true,
        followsOutsideLinks: Bool,
        deliver: @escaping @Sendable ([LibraryScanner.Part]) -> Void
    ) throws(WatchError) {
        let watch = try DirectoryWatch(
            root: root,
            followsInsideLinks: followsInsideLinks,
            followsOutsideLinks: followsOutsideLinks
        )
        var ends: [Int32] = [-1, -1]
        // A pair of sockets, because Glibc's module has no pipe that is closed in other programs from the start.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .system(errno) }
        self.watch = watch
        stop = ends[1]
        let end = ends[0]
        WorkThread.start(named: "segue-watch") {
            watch.run(until: end, deliver)
            close(end)
        }
    }

    deinit { close(stop) }

    /// The URIs of directories that cannot be watched, on network file systems or beyond the system's limit: these have to
    /// be scanned by schedule.
    package var unwatched: [String] { watch.unwatched }
}

/// Why nothing can be watched.
package enum WatchError: Error, Hashable, CustomStringConvertible {
    case system(Int32)

    package var description: String {
        switch self {
        case .system(EMFILE):
            "cannot watch the music directory: too many inotify instances (raise fs.inotify.max_user_instances)"
        case .system(let number): "cannot watch the music directory: \(unsafe String(cString: strerror(number)))"
        }
    }
}
