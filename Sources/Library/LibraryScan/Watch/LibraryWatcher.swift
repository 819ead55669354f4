private import Glibc
private import Synchronization
internal import Threads

/// Reports changed directories of a music directory as soon as they change, using inotify(7).
///
/// A thread of its own (*segue-watch*) sleeps until events arrive. Changes at about the same time are reported
/// together, by directory; when the kernel had to drop events, and when the music directory itself appears or
/// disappears, everything is reported as changed.
package final class LibraryWatcher: Sendable {
    private let watch: DirectoryWatch
    /// Closing it stops the thread.
    private let stop: Int32

    /// Starts watching; blocks until all directories are watched.
    ///
    /// - Parameter deliver: Called on the watcher's thread with the parts to scan; must not block for long.
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
        // A socket pair, since Glibc's module offers no pipe that is close-on-exec from the start.
        let kind = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        guard unsafe socketpair(AF_UNIX, kind, 0, &ends) == 0 else { throw .system(errno) }
        self.watch = watch
        stop = ends[1]
        let end = ends[0]
        do {
            try WorkThread.start(named: "segue-watch") {
                watch.run(until: end, deliver)
                close(end)
            }
        } catch {
            for end in ends { close(end) }
            throw .system(error.code)
        }
    }

    deinit { close(stop) }

    /// The URIs of directories that cannot be watched, on network file systems or above the system's limit: these must
    /// be scanned periodically.
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
