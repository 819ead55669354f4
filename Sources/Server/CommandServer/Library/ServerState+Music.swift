internal import LibraryService
internal import ServerBasics
internal import ServerMusic

extension ServerState: LibraryDelegate {
    func libraryChanged(_ changes: Subsystems) { note(changes) }

    func songsChanged(in library: MusicLibrary) {
        arrivals.refreshQueues(from: library)
        artworkAhead.musicChanged()
        covers.musicChanged()
    }
}
