package import ServerArtwork
package import ServerMusic
package import ServerPersistence
package import ServerPicker

/// The services of commands on songs: the queue, stored playlists, the library, files, pictures and stickers.
package final class MusicServices: LibraryServices {
    package let common: CommonServices
    package let media: MusicAccess
    package let upkeep: LibraryUpkeep
    package let arrivals: SongArrivals
    package let stickers: StickerService
    package let playlistSync: PlaylistSync
    package let artwork: ArtworkService
    package let quotas: Quotas
    package let picker: PickerService
    /// Pictures that clients are reading.
    package var openPictures = OpenPictures()

    package init(
        _ common: CommonServices,
        media: MusicAccess,
        upkeep: LibraryUpkeep,
        arrivals: SongArrivals,
        stickers: StickerService,
        playlistSync: PlaylistSync,
        artwork: ArtworkService,
        quotas: Quotas,
        picker: PickerService
    ) {
        self.common = common
        self.media = media
        self.upkeep = upkeep
        self.arrivals = arrivals
        self.stickers = stickers
        self.playlistSync = playlistSync
        self.artwork = artwork
        self.quotas = quotas
        self.picker = picker
    }

    package static func of(_ groups: ServiceGroups) -> MusicServices { groups.music }
}
