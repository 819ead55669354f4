internal import FFmpeg
internal import Files
internal import MPRIS
internal import NIOCore
internal import PictureWorkers
internal import Playlists
internal import Songs
internal import Threads
internal import Zones

/// The covers of the zones' current songs, as files that other programs of the user can read: one for each zone.
///
/// Belongs to the server's event loop.
final class PlayerCovers {
    private let folder: String
    private let work: WorkThreads
    private let loop: any EventLoop
    /// `nil` where no pictures are made.
    private let finder: () -> ArtworkFinder?
    /// Called when the cover of a zone's current song has been made.
    private let ready: () -> Void
    private lazy var hop = Hop(to: self, on: loop)
    private var covers: [String: Cover] = [:]

    private struct Cover {
        /// What the zone plays.
        var song: String
        /// What names the picture; `nil` while it is looked for, and where there is none.
        var file: String?
    }

    /// - Parameter folder: Made when it is needed; what was left in it is overwritten.
    init(
        folder: String,
        _ work: WorkThreads,
        loop: any EventLoop,
        finder: @escaping () -> ArtworkFinder?,
        ready: @escaping () -> Void
    ) {
        self.folder = folder
        self.work = work
        self.loop = loop
        self.finder = finder
        self.ready = ready
    }

    /// The address of the cover of a zone's current song; `nil` while the cover is looked for, and for a song without one.
    func address(of zone: Zone) -> String? {
        guard zone.state != .stop, let song = zone.queue.currentEntry?.song.uri else { return nil }
        if covers[zone.name]?.song != song { look(for: song, in: zone.name) }
        return covers[zone.name]?.file.map { fileURL(folder + "/" + $0) }
    }

    /// Pictures may have changed, so they are looked for again.
    func musicChanged() {
        guard !covers.isEmpty else { return }
        for zone in covers.keys { covers[zone]?.song = "" }
        ready()
    }

    /// A zone is gone.
    func remove(_ zone: String) {
        guard let file = covers.removeValue(forKey: zone)?.file else { return }
        work.submit(to: .artworkAhead(file)) { [folder] in try? AtomicFile.remove(folder + "/" + file) }
    }

    /// The longest side of covers, in pixels.
    private static let side = 512

    private func look(for song: String, in zone: String) {
        let old = covers[zone]?.file
        covers[zone] = Cover(song: song, file: old)
        guard let finder = finder() else { return }
        let (hop, folder) = (hop, folder)
        work.submit(to: .artworkAhead(song)) {
            let found = try? finder.artwork(PictureOrder(side: Self.side), ofSong: song)
            let file = found.flatMap { Self.store($0, for: zone, in: folder) }
            hop { $0.found(file, of: song, in: zone, insteadOf: old) }
        }
    }

    /// Blocks.
    private static func store(_ artwork: Artwork, for zone: String, in folder: String) -> String? {
        let name = "\(zone)-\(artwork.source).jpg"
        makeFolders(folder)
        do {
            try AtomicFile.make(folder + "/" + name, isNew: false) { try $0.write(artwork.picture.bytes) }
            return name
        } catch {
            return nil
        }
    }

    private func found(_ file: String?, of song: String, in zone: String, insteadOf old: String?) {
        guard covers[zone]?.song == song else { return }
        covers[zone]?.file = file
        if let old, old != file {
            work.submit(to: .artworkAhead(song)) { [folder] in try? AtomicFile.remove(folder + "/" + old) }
        }
        ready()
    }
}
