internal import Cryptography
package import Files
package import LibraryService
package import MediaCoding
package import MusicDirectories
package import PictureValues
package import PictureWorkers
internal import ServerMusic
internal import Songs
package import Threads

/// Looks for the artwork of songs and directories in the music directory, and has it made small.
///
/// Blocks; for the threads of a work queue.
package struct ArtworkFinder: Sendable {
    package let music: MusicDirectory
    package let pictures: PictureCache
    package let library: MusicLibrary?
    package let store: PictureStore
    /// Of the streams that play, by their URIs.
    package let stations: [String: FetchedPicture]
    package var priority = PicturePriority.visible
    /// Of the work that it looks for.
    package var cancellation = Cancellation()

    /// A song's: what is embedded in its file, then what lies beside it, then a frame if it is a film; of a stream that
    /// plays, the station's.
    package func artwork(_ order: PictureOrder, ofSong uri: String) throws -> Artwork {
        if hasScheme(uri) { return try stations[withoutCredentials(uri)].flatMap { try made(order, of: $0) } ?? none() }
        let file = try openSong(uri) { library?.hasPicture($0, $1) }
        var ofCover = order
        ofCover.isOfCover = true
        if file.mayHavePicture, let found = try made(ofCover, of: file.descriptor) { return found }
        if let cover = try beside(uri), let found = try made(order, of: Descriptor(borrowing: cover.number)) {
            return found
        }
        return try made(order, of: file.descriptor) ?? none()
    }

    /// A directory's: the cover in it.
    package func artwork(_ order: PictureOrder, ofDirectory uri: String) throws -> Artwork {
        // Any name in it will do: covers are looked for beside songs.
        guard let cover = try beside(uri.isEmpty ? "-" : uri + "/-"),
            let found = try made(order, of: Descriptor(borrowing: cover.number))
        else { return try none() }
        return found
    }

    /// The picture in a file: a photo, a film's frame, a song's cover.
    package func artwork(_ order: PictureOrder, ofFile uri: String) throws -> Artwork {
        let file = try openSong(uri) { _, _ in nil }
        return try made(order, of: file.descriptor) ?? none()
    }

    /// The same, of the file that is meant, and of no other one with that name.
    ///
    /// - Parameter isMeant: Gets the status of the open file, before the picture is made and afterwards.
    package func artwork(
        _ order: PictureOrder,
        ofFile uri: String,
        where isMeant: (FileStatus) -> Bool
    ) throws -> Artwork {
        let file = try openSong(uri) { _, _ in nil }
        guard isMeant(try file.descriptor.status) else { throw ArtworkError.otherFile }
        let artwork = try made(order, of: file.descriptor)
        guard isMeant(try file.descriptor.status) else { throw ArtworkError.otherFile }
        return try artwork ?? none()
    }

    /// Opens what can only be a song: something else that is not there is a song that is not there.
    private func openSong(
        _ uri: String,
        hasPicture: (_ file: String, _ state: FileStatus) -> Bool?
    ) throws -> PictureFile {
        do throws(MusicDirectoryError) {
            return try music.openForPicture(uri, hasPicture: hasPicture)
        } catch {
            if case .inaccessible = error { throw error }
            throw ArtworkError.noSuchSong
        }
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
            default: throw ArtworkError.notMade(error)
            }
        }
    }

    func none() throws(ArtworkError) -> Artwork { throw .noPicture }
}

/// Why there is no artwork.
package enum ArtworkError: Error, Sendable, Hashable, CustomStringConvertible {
    /// No program makes pictures small.
    case noProgram
    /// There is no music directory.
    case noMusic
    case noSuchSong
    /// Another file has the name of the one that is meant.
    case otherFile
    /// Nothing shows a picture, or only damaged ones are there.
    case noPicture
    /// The program that makes pictures small could not do it, which is not the picture's fault.
    case notMade(PictureError)

    package var description: String {
        switch self {
        case .noProgram: "this server makes no pictures"
        case .noMusic: "No database"
        case .noSuchSong: "No such song"
        case .otherFile: "the file has changed"
        case .noPicture: "there is no picture"
        case .notMade(let error): "the picture \(error)"
        }
    }
}

/// A small picture.
package struct Artwork: Sendable {
    package let picture: MediaPicture
    /// Names the file that it was made of, and that file's state.
    package let source: String

    package var version: String { artworkVersion(of: source) }
}

/// A name for what a picture was made of that tells nothing of the files: 24 hexadecimal digits.
func artworkVersion(of source: String) -> String { String(Digest(of: Array(source.utf8)).description.prefix(24)) }
