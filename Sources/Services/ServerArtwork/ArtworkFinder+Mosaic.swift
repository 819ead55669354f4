internal import MediaCoding
internal import PictureValues
package import PictureWorkers
package import Songs

/// Artwork for many songs: those of a playlist, or those that a filter finds.
extension ArtworkFinder {
    /// How many songs are looked at.
    package static let songLimit = 1_000
    /// How many of them are asked for their artwork, one of each album.
    private static let albumLimit = 64

    /// Four different covers, two above the other two; the first one alone when there are fewer.
    ///
    /// - Parameter songs: At most ``songLimit`` are looked at.
    package func artwork(_ order: PictureOrder, ofSongs songs: [Song]) throws -> Artwork {
        let parts = order.side < 2 ? [] : try parts(order, of: songs)
        if parts.count == PictureLayout.mosaicParts { return try mosaic(order, of: parts.map(\.artwork)) }
        guard let first = try parts.first?.uri ?? songWithCover(order, in: songs) else { return try none() }
        return try artwork(order, ofSong: first)
    }

    private struct Part {
        let uri: String
        let artwork: Artwork
    }

    /// The first different covers, as squares that fit into the mosaic.
    private func parts(_ order: PictureOrder, of songs: [Song]) throws -> [Part] {
        var square = PictureOrder(side: order.side / 2, format: .png)
        square.layout = .square
        var parts: [Part] = []
        for uri in Self.candidates(songs) {
            guard let found = try artworkIfAny(square, of: uri),
                !parts.contains(where: { $0.artwork.picture.bytes == found.picture.bytes })
            else { continue }
            parts.append(Part(uri: uri, artwork: found))
            if parts.count == PictureLayout.mosaicParts { break }
        }
        return parts
    }

    private func songWithCover(_ order: PictureOrder, in songs: [Song]) throws -> String? {
        try Self.candidates(songs).first { try artworkIfAny(order, of: $0) != nil }
    }

    /// - Throws: Errors that are not the song's fault.
    private func artworkIfAny(_ order: PictureOrder, of uri: String) throws -> Artwork? {
        do {
            return try artwork(order, ofSong: uri)
        } catch let error as ArtworkError {
            if case .notMade = error { throw error }
            return nil
        } catch {
            // Its disk does not answer.
            return nil
        }
    }

    /// The URIs of songs that may have different covers: the first of each album.
    package static func candidates(_ songs: [Song]) -> [String] {
        var known: Set<[String]> = []
        var uris: [String] = []
        for song in songs.prefix(songLimit) where uris.count < albumLimit && !hasScheme(song.uri) {
            if known.insert(album(of: song)).inserted { uris.append(song.uri) }
        }
        return uris
    }

    /// Names a song's album, or its directory when it has none.
    private static func album(of song: Song) -> [String] {
        let albums = song.values(of: .album)
        guard albums.isEmpty else { return albums + ["by"] + song.values(of: .albumArtist) }
        return [song.uri.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(song.uri[..<$0]) } ?? ""]
    }

    private func mosaic(_ order: PictureOrder, of parts: [Artwork]) throws -> Artwork {
        var order = order
        order.layout = .mosaic
        do throws(PictureError) {
            let bytes = try store.picture(
                order,
                ofParts: parts.map(\.picture.bytes),
                madeOf: parts.map(\.source),
                priority,
                cancellation
            )
            return Artwork(
                picture: MediaPicture(mimeType: order.format.mimeType, bytes: bytes),
                source: parts.map(\.source).joined(separator: "+")
            )
        } catch {
            throw ArtworkError.notMade(error)
        }
    }
}
