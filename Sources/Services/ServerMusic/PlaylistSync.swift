package import NIOCore
internal import ServerBasics
package import Settings
internal import Songs
package import Threads

/// Syncs stored playlists to the disk within seconds of an addition: many single additions share one sync.
///
/// Belongs to the server's event loop.
package final class PlaylistSync {
    /// Has a playlist's additions on the disk when it returns; `nil` without stored playlists.
    private let sync: (@Sendable (_ name: String) throws -> Void)?
    private let work: WorkThreads
    private let loop: any EventLoop
    private let log: @Sendable (LogLevel, String) -> Void
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    /// Playlists with additions that may not be on the disk yet.
    private var names: Set<ExactText> = []

    package init(
        _ sync: (@Sendable (_ name: String) throws -> Void)?,
        _ work: WorkThreads,
        loop: any EventLoop,
        log: @escaping @Sendable (LogLevel, String) -> Void
    ) {
        self.sync = sync
        self.work = work
        self.loop = loop
        self.log = log
    }

    /// Schedules a sync after an addition.
    package func added(to name: String) {
        let isFirst = names.isEmpty
        names.insert(ExactText(name))
        if isFirst { _ = onLoop(in: 2) { $0.syncAll() } }
    }

    /// Syncs all playlists with additions, after the pending changes.
    package func syncAll(then done: @escaping @Sendable () -> Void = {}) {
        guard let sync, !names.isEmpty else { return done() }
        let names = names.map(\.text).sorted()
        self.names = []
        work.submit(to: .playlistChanges) { [log] in
            for name in names {
                do { try sync(name) } catch { log(.error, "\(error)") }
            }
            done()
        }
    }
}
