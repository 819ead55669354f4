internal import Files
internal import MPRIS
internal import MediaCoding
package import NIOCore
internal import PictureWorkers
internal import Playlists
package import ServerArtwork
internal import ServerBasics
internal import Songs
package import Threads
package import Zones

/// The covers of the zones' current songs, as files that other programs of the user can read: one for each zone.
///
/// Belongs to the server's event loop.
package final class PlayerCovers {
    private let folder: String
    private let work: WorkThreads
    private let loop: any EventLoop
    private let artwork: ArtworkService
    private unowned let delegate: any NowPlayingDelegate
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var covers: [String: Cover] = [:]

    private struct Cover {
        /// The song that the zone plays.
        var song: String
        /// Whether it is to be looked for again.
        var isStale = false
        /// The picture's file name; `nil` during the first search for the song, and for a song without a picture.
        var file: String?
        /// Files of earlier songs, which go once it is known which one this song has.
        var leftovers: Set<String> = []
    }

    /// - Parameter folder: Made when it is needed; what was left in it is overwritten.
    package init(
        folder: String,
        _ artwork: ArtworkService,
        _ work: WorkThreads,
        loop: any EventLoop,
        delegate: any NowPlayingDelegate
    ) {
        self.folder = folder
        self.artwork = artwork
        self.work = work
        self.loop = loop
        self.delegate = delegate
    }

    /// The address of the cover of a zone's current song; `nil` while the cover is looked for, and for a song without one.
    package func address(of zone: Zone) -> String? {
        guard zone.state != .stop, let song = zone.queue.currentEntry?.song.uri else { return nil }
        if covers[zone.name].map({ $0.song != song || $0.isStale }) != false { look(for: song, in: zone.name) }
        return covers[zone.name]?.file.map { fileURL(folder + "/" + $0) }
    }

    /// Pictures may have changed, so they are looked for again.
    package func musicChanged() {
        guard !covers.isEmpty else { return }
        for zone in covers.keys { covers[zone]?.isStale = true }
        delegate.nowPlayingChanged()
    }

    /// A zone is gone.
    package func remove(_ zone: String) {
        guard let cover = covers.removeValue(forKey: zone) else { return }
        remove(cover.leftovers.union([cover.file].compactMap(\.self)))
    }

    private func remove(_ files: Set<String>) {
        for file in files {
            work.submit(to: .artworkAhead(file)) { [folder] in try? AtomicFile.remove(folder + "/" + file) }
        }
    }

    /// The longest side of covers, in pixels.
    private static let side = 512

    private func look(for song: String, in zone: String) {
        let old = covers[zone]
        var cover = Cover(song: song, leftovers: old?.leftovers ?? [])
        // A song's own picture is shown until another one is there.
        if old?.song == song { cover.file = old?.file } else if let file = old?.file { cover.leftovers.insert(file) }
        covers[zone] = cover
        guard let finder = try? artwork.makeFinder() else { return }
        let (onLoop, folder) = (onLoop, folder)
        work.submit(to: .artworkAhead(song)) {
            let found = try? finder.artwork(PictureOrder(side: Self.side), ofSong: song)
            let file = found.flatMap { Self.store($0, for: zone, in: folder) }
            onLoop { $0.found(file, of: song, in: zone) }
        }
    }

    /// Blocks.
    private static func store(_ artwork: Artwork, for zone: String, in folder: String) -> String? {
        let name = "\(zone)-\(artwork.source).jpg"
        return writeCover(artwork.picture.bytes, named: name, in: folder) ? name : nil
    }

    private func found(_ file: String?, of song: String, in zone: String) {
        guard let cover = covers[zone] else { return remove(Set([file].compactMap(\.self))) }
        guard cover.song == song else {
            // Another song plays, which may have the same picture.
            if let file, file != cover.file { covers[zone]?.leftovers.insert(file) }
            return
        }
        covers[zone]?.file = file
        covers[zone]?.leftovers = []
        remove(cover.leftovers.union([cover.file].compactMap(\.self)).subtracting([file].compactMap(\.self)))
        delegate.nowPlayingChanged()
    }
}
