internal import AudioTypes
package import NIOCore
package import PictureWorkers
package import ServerBasics
package import ServerMusic
package import ServerRooms
internal import Settings
internal import Songs
package import Threads
package import Zones

/// The server, as its artwork sees it.
package protocol ArtworkDelegate: AnyObject {
    /// The artwork of a zone's current song is ready, or has changed.
    func artworkReady(in zone: Zone)
    /// The artwork of a zone's current song has been looked for, and is the same as before.
    func artworkKnown(in zone: Zone)
}

/// Finds the artwork of songs, directories and streams, and makes that of the songs that play before it is asked for.
///
/// Belongs to the server's event loop.
package final class ArtworkService {
    private let media: MusicAccess
    private let upkeep: LibraryUpkeep
    private let rooms: Rooms
    private let configuration: CurrentConfiguration
    /// `nil` where no pictures are made.
    private let store: PictureStore?
    private let work: WorkThreads
    private let loop: any EventLoop
    private unowned let delegate: any ArtworkDelegate
    private lazy var stations = StationPictures(
        work,
        loop: loop,
        options: { [configuration] zone, song in
            var options = configuration.value.streamOptions(ofZone: zone.name).http
            options.access = NetworkAccess(song.reach, configuration.value.fetching)
            return options
        },
        zone: { [rooms] in rooms.zone(named: $0) },
        changed: { [unowned self] in ahead.pictureCame(in: $0) }
    )
    private lazy var ahead: ArtworkAhead = ArtworkAhead(
        rooms,
        stations,
        work,
        loop: loop,
        finder: { [unowned self] in try? makeFinder() },
        ready: { [unowned self] zone, isOther in
            if isOther { delegate.artworkReady(in: zone) } else { delegate.artworkKnown(in: zone) }
        }
    )

    /// - Parameter store: Makes pictures small; `nil` where no program does.
    package init(
        _ media: MusicAccess,
        _ upkeep: LibraryUpkeep,
        _ rooms: Rooms,
        _ configuration: CurrentConfiguration,
        _ store: PictureStore?,
        _ work: WorkThreads,
        loop: any EventLoop,
        delegate: any ArtworkDelegate
    ) {
        (self.media, self.upkeep, self.rooms) = (media, upkeep, rooms)
        (self.configuration, self.store, self.work) = (configuration, store, work)
        (self.loop, self.delegate) = (loop, delegate)
    }

    /// Makes what finds the artwork that there is now.
    package func makeFinder() throws(ArtworkError) -> ArtworkFinder {
        guard let store else { throw .noProgram }
        guard let music = media.directory else { throw .noMusic }
        return ArtworkFinder(
            music: music,
            pictures: media.pictures,
            library: upkeep.completeLibrary,
            store: store,
            stations: stations.pictures
        )
    }

    /// Names the picture of a zone's current song, as the replies to `artwork` do; `nil` while it is not known.
    package func version(in zone: Zone) -> String? { ahead.version(in: zone) }

    /// A client asks for artwork of this form, which is made ahead from then on.
    package func wasAsked(for order: PictureOrder) { ahead.wasAsked(for: order) }

    /// Something changed that may be what plays, or what plays next.
    package func zoneChanged(_ zone: Zone) { ahead.zoneChanged(zone) }

    package func zoneRemoved(_ zone: Zone) { ahead.zoneRemoved(zone) }

    /// Files changed, and so may their covers have.
    package func musicChanged() { ahead.musicChanged() }
}
