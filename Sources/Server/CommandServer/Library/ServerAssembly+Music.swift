internal import LibraryService
internal import ServerArtwork
internal import ServerBasics
internal import ServerMusic
internal import ServerNowPlaying
internal import ServerRequests
internal import Zones

extension ServerAssembly: LibraryDelegate {
    func libraryChanged(_ changes: Subsystems) { notify(changes) }

    func libraryStatusChanged() { watchHub.changed(.update, in: nil) }

    func songsChanged(in library: MusicLibrary) {
        arrivals.refreshQueues(from: library)
        artwork.musicChanged()
        covers.musicChanged()
    }
}

extension ServerAssembly: ArtworkDelegate {
    func artworkReady(in zone: Zone) { notify(.artwork, in: zone) }

    func artworkKnown(in zone: Zone) { watchHub.changed(.artwork, in: zone.name) }
}
