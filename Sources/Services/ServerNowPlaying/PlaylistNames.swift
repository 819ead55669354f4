package import PlaylistStore
internal import ServerBasics

/// The names of the stored playlists, in order, as of their last change.
///
/// Belongs to the server's event loop.
package final class PlaylistNames {
    private let playlists: StoredPlaylists?
    private let reads: BusReads
    private unowned let delegate: any NowPlayingDelegate
    package private(set) var names: [String] = []

    package init(_ playlists: StoredPlaylists?, _ reads: BusReads, delegate: any NowPlayingDelegate) {
        self.playlists = playlists
        self.reads = reads
        self.delegate = delegate
    }

    package func refresh() {
        guard let playlists else { return }
        reads.perform(on: .playlists) {
            try playlists.list().map(\.name)
        } then: { [unowned self] result in
            guard let found = try? result.get() else { return }
            names = found
            delegate.nowPlayingChanged()
        }
    }
}
