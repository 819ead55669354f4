internal import NIOCore
internal import PictureWorkers
internal import Playlists
internal import ServerBasics
internal import ServerRooms
internal import Songs
internal import Threads
internal import Zones

/// Has the artwork of the current and of the next song made before clients ask for it.
///
/// It is made as it was asked for last; while none was asked for, nothing is made. Belongs to the server's event loop.
final class ArtworkAhead {
    private let rooms: Rooms
    private let stations: StationPictures
    private let work: WorkThreads
    private let loop: any EventLoop
    /// `nil` where no pictures are made.
    private let finder: () -> ArtworkFinder?
    /// Called when the artwork of a zone's current song has been looked for, and whether it is another one than before.
    private let ready: (Zone, _ isOther: Bool) -> Void
    private lazy var onLoop = LoopExecutor(for: self, on: loop)
    private var order: PictureOrder?
    /// By the zones' names.
    private var plans: [String: ArtworkPlan] = [:]
    private var cancellations: [String: Cancellation] = [:]

    init(
        _ rooms: Rooms,
        _ stations: StationPictures,
        _ work: WorkThreads,
        loop: any EventLoop,
        finder: @escaping () -> ArtworkFinder?,
        ready: @escaping (Zone, _ isOther: Bool) -> Void
    ) {
        self.rooms = rooms
        self.stations = stations
        self.work = work
        self.loop = loop
        self.finder = finder
        self.ready = ready
    }

    /// A client asks for artwork.
    func wasAsked(for order: PictureOrder) {
        let isFirst = self.order == nil
        self.order = order
        if isFirst { look() }
    }

    /// Something changed that may be what plays, or what plays next.
    func zoneChanged(_ zone: Zone) {
        guard order != nil else { return }
        stations.zoneChanged(zone)
        let queue = zone.queue
        let current = zone.state == .stop ? nil : queue.currentEntry?.song.uri
        let next = current == nil ? nil : queue.nextPosition().map { queue[$0].song.uri }
        carryOut(plans[zone.name, default: ArtworkPlan()].want(current, next: next), for: zone.name)
    }

    /// Files changed, and so may their covers have.
    func musicChanged() {
        guard order != nil else { return }
        for name in plans.keys { plans[name]?.lookAgain() }
        look()
    }

    /// The picture of the stream that plays in a zone is there.
    func pictureCame(in name: String) {
        plans[name]?.lookAgain()
        if let zone = rooms.zone(named: name) { zoneChanged(zone) }
    }

    func zoneRemoved(_ zone: Zone) {
        stations.zoneRemoved(zone)
        plans[zone.name] = nil
        cancellations.removeValue(forKey: zone.name)?.cancel()
    }

    private func look() { for zone in rooms.zones { zoneChanged(zone) } }

    private func carryOut(_ step: ArtworkPlan.Step, for zone: String) {
        switch step {
        case .nothing: break
        case .cancel: cancellations[zone]?.cancel()
        case .make(let songs): make(songs, for: zone)
        }
    }

    private func make(_ songs: [String], for zone: String) {
        guard let order, var finder = finder() else { return }
        let (onLoop, cancellation) = (onLoop, Cancellation())
        cancellations[zone] = cancellation
        finder.priority = .prefetched
        finder.cancellation = cancellation
        work.submit(to: .artworkAhead(songs[0])) { [finder] in
            for (place, song) in songs.enumerated() where !cancellation.isCancelled {
                let found = try? finder.artwork(order, ofSong: song)
                if place == 0, !cancellation.isCancelled { onLoop { $0.isMade(found?.source, for: zone) } }
            }
            onLoop { ahead in
                guard ahead.cancellations[zone] === cancellation else { return }
                ahead.carryOut(ahead.plans[zone]?.end() ?? .nothing, for: zone)
            }
        }
    }

    private func isMade(_ source: String?, for name: String) {
        guard let isOther = plans[name]?.found(source), let zone = rooms.zone(named: name) else { return }
        ready(zone, isOther)
    }

    /// Names the picture of a zone's current song; `nil` while it is not known, and where there is none.
    func version(in zone: Zone) -> String? { plans[zone.name]?.source.map(artworkVersion) }
}

/// The artwork that is made ready for one zone, and the moments when its clients are told; a pure value.
struct ArtworkPlan: Sendable, Equatable {
    enum Step: Sendable, Equatable {
        case nothing
        /// Make the artwork of these songs, the current one first, and call ``ArtworkPlan/end()`` then.
        case make([String])
        /// Give up what is being made.
        case cancel
    }

    /// The song that plays, and the next one.
    private var wanted: [String] = []
    /// The songs whose artwork was made ready, or is being.
    private var made: [String] = []
    private var isBusy = false
    private var shown: String?
    /// The song whose artwork was looked for last.
    private var shownSong: String?
    /// Names the file and state that the current song's artwork is of; `nil` while that is not known, and when there is none.
    var source: String? { wanted.first == shownSong ? shown : nil }

    /// - Parameters:
    ///   - current: The song that plays; `nil` when none does.
    ///   - next: The song that plays after it.
    mutating func want(_ current: String?, next: String?) -> Step {
        wanted = [current, next].compactMap(\.self)
        guard wanted != made, !wanted.isEmpty else { return .nothing }
        // A job for the song that plays goes on when only the next one is another.
        if isBusy { return wanted.first == made.first ? .nothing : .cancel }
        return begin()
    }

    /// The same songs may have other pictures.
    mutating func lookAgain() { made = [] }

    /// The current job has ended, by success, failure or cancellation.
    mutating func end() -> Step {
        isBusy = false
        return wanted == made || wanted.isEmpty ? .nothing : begin()
    }

    private mutating func begin() -> Step {
        isBusy = true
        made = wanted
        return .make(wanted)
    }

    /// The search for the current song's artwork has ended.
    ///
    /// - Parameter source: Names the file and state that it is of; `nil` when there is none.
    /// - Returns: Whether it is another one than before; `nil` where the song is not the current one any more.
    mutating func found(_ source: String?) -> Bool? {
        guard made.first == wanted.first else { return nil }
        shownSong = made.first
        guard source != shown else { return false }
        shown = source
        return true
    }
}
