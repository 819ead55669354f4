internal import FFmpeg
internal import Files
internal import LibraryService
internal import LineProtocol
internal import MusicDirectories
internal import PictureWorkers
internal import Pictures
internal import Songs
internal import Threads

/// Looks for the artwork of songs and directories in the music directory, and has it made small.
///
/// Blocks; for the threads of a lane.
struct ArtworkFinder: Sendable {
    let music: MusicDirectory
    let pictures: PictureCache
    let library: MusicLibrary?
    let store: PictureStore
    /// Of the streams that play, by their URIs.
    let stations: [String: FetchedPicture]
    var priority = PicturePriority.visible
    /// Of the work that it looks for.
    var cancellation = Cancellation()

    /// A song's: what is embedded in its file, then what lies beside it, then a frame if it is a film; of a stream that
    /// plays, the station's.
    func artwork(_ order: PictureOrder, ofSong uri: String) throws -> Artwork {
        if hasScheme(uri) { return try stations[withoutCredentials(uri)].flatMap { try made(order, of: $0) } ?? none() }
        let file = try asSong { try music.openForPicture(uri, hasPicture: { library?.hasPicture($0, $1) }) }
        var ofCover = order
        ofCover.isOfCover = true
        if file.mayHavePicture, let found = try made(ofCover, of: file.descriptor) { return found }
        if let cover = try beside(uri), let found = try made(order, of: Descriptor(borrowing: cover.number)) {
            return found
        }
        return try made(order, of: file.descriptor) ?? none()
    }

    /// A directory's: the cover in it.
    func artwork(_ order: PictureOrder, ofDirectory uri: String) throws -> Artwork {
        // Any name in it will do: covers are looked for beside songs.
        guard let cover = try beside(uri.isEmpty ? "-" : uri + "/-"),
            let found = try made(order, of: Descriptor(borrowing: cover.number))
        else { return try none() }
        return found
    }

    /// What a file itself shows: a photo, a film's frame, a song's cover.
    func artwork(_ order: PictureOrder, ofFile uri: String) throws -> Artwork {
        let file = try asSong { try music.openForPicture(uri, hasPicture: { _, _ in nil }) }
        return try made(order, of: file.descriptor) ?? none()
    }

    private func beside(_ uri: String) throws -> CoverFile? {
        try pictures.albumPicture(uri, in: music) { library?.cover(in: $0, $1) }
    }

    /// - Returns: `nil` when there is no picture in the file.
    private func made(_ order: PictureOrder, of file: borrowing Descriptor) throws -> Artwork? {
        let source = (try? file.status.cacheName) ?? ""
        return try made(order, source) { () throws(PictureError) in
            try store.picture(order, of: file, priority, cancellation)
        }
    }

    private func made(_ order: PictureOrder, of station: FetchedPicture) throws -> Artwork? {
        try made(order, station.name) { () throws(PictureError) in
            try store.picture(order, ofParts: [station.bytes], madeOf: [station.name], priority, cancellation)
        }
    }

    private func made(
        _ order: PictureOrder,
        _ source: String,
        _ make: () throws(PictureError) -> [UInt8]
    ) throws -> Artwork? {
        do throws(PictureError) {
            return Artwork(picture: MediaPicture(mimeType: order.format.mimeType, bytes: try make()), source: source)
        } catch {
            // A damaged one is as good as none: another place may have one.
            switch error {
            case .reported, .ended, .tookTooLong: return nil
            default: throw AckError(.system, "the picture \(error)")
            }
        }
    }

    func none() throws(AckError) -> Artwork { throw AckError(.doesNotExist, "there is no picture") }
}

/// A small picture.
struct Artwork: Sendable {
    let picture: MediaPicture
    /// Names the file that it was made of, and that file's state.
    let source: String
}
