internal import ServerArtwork
internal import ServerMusic
internal import ServerPersistence

/// The services of commands on songs: the queue, stored playlists, the library, files, pictures and stickers.
final class MusicServices: LibraryServices {
    let common: CommonServices
    let media: MusicAccess
    let upkeep: LibraryUpkeep
    let arrivals: SongArrivals
    let stickers: StickerService
    let playlistSync: PlaylistSync
    let artwork: ArtworkService
    let quotas: Quotas
    /// Pictures that clients are reading.
    var openPictures = OpenPictures()

    init(_ server: ServerAssembly) {
        common = server.commonServices
        media = server.media
        upkeep = server.upkeep
        arrivals = server.arrivals
        stickers = server.stickers
        playlistSync = server.playlistSync
        artwork = server.artwork
        quotas = server.quotas
    }

    static func of(_ server: ServerAssembly) -> MusicServices { server.musicServices }
}
