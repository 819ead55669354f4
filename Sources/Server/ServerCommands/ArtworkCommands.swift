internal import AudioTypes
internal import LibraryIndex
internal import LineProtocol
internal import MediaCoding
internal import PictureValues
internal import PictureWorkers
internal import Records
internal import ServerArtwork
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import SongFilters
internal import Songs
internal import Threads

/// Pictures at the size that a client shows them, sent in pieces as `readpicture` does.
let artworkCommands: [Row<MusicServices>] = [
    Row(
        "artwork",
        .read,
        library: .ofArtwork,
        reply: .records(.picture),
        .required("TYPE", parseArtworkType),
        .text("URI"),
        .number("SIZE", artworkSizes, unit: "pixels"),
        .unsigned("OFFSET", through: Int.max),
        .optional(.required("FORMAT", parsePictureFormat))
    ) { request, type, uri, size, offset, format in
        let order = PictureOrder(side: size, format: format ?? .jpeg)
        request.services.artwork.wasAsked(for: order)
        let place = PicturePlace.small(order, command: type.rawValue)
        switch type {
        case .song: return try request.sendArtwork(place, uri, at: offset) { try $0.artwork(order, ofSong: $1) }
        case .file: return try request.sendArtwork(place, uri, at: offset) { try $0.artwork(order, ofFile: $1) }
        case .directory:
            return try request.sendArtwork(place, uri, at: offset) { try $0.artwork(order, ofDirectory: $1) }
        case .playlist: return try request.sendArtwork(place, ofPlaylist: uri, order, at: offset)
        case .filter: return try request.sendArtwork(place, ofFilter: uri, order, at: offset)
        }
    },
    Row(
        "thumbnail",
        .read,
        library: .song,
        reply: .records(.picture),
        .text("URI"),
        .number("SIZE", artworkSizes, unit: "pixels"),
        .required("TIME", parseMoment),
        .unsigned("OFFSET", through: Int.max)
    ) { request, uri, size, moment, offset in
        let order = PictureOrder(side: size, moment: moment)
        return try request.sendArtwork(.small(order, command: "thumbnail"), uri, at: offset) { finder, uri in
            try finder.artwork(order, ofFile: uri)
        }
    },
]

extension LibraryRule {
    fileprivate static let ofArtwork = LibraryRule { words in
        switch words.first {
        case "song", "file": .named(words.dropFirst().prefix(1).map { .song($0) })
        case "directory": .named(words.dropFirst().prefix(1).map { .place($0) })
        default: .limited
        }
    }
}

/// In pixels.
private let artworkSizes = 1...4_096

/// The kinds of objects that have artwork, in the words of `sticker`.
private enum ArtworkType: String {
    case song, file, directory, playlist, filter
}

private func parseArtworkType(_ word: String) throws(AckError) -> ArtworkType {
    guard let type = ArtworkType(rawValue: word) else {
        throw AckError(.badArgument, "artwork is of a song, file, directory, playlist or filter, not of a \"\(word)\"")
    }
    return type
}

private func parsePictureFormat(_ word: String) throws(AckError) -> PictureFormat {
    guard let format = PictureFormat(rawValue: word), format != .rgba else {
        throw AckError(.badArgument, "the format is jpeg, png or webp, not \"\(word)\"")
    }
    return format
}

/// A time in seconds, or a part of a film such as `10%`.
private func parseMoment(_ word: String) throws(AckError) -> FilmMoment {
    if word.hasSuffix("%") {
        let percent = try parseNumber(String(word.dropLast()))
        guard (0...100).contains(percent) else { throw AckError(.badArgument, "a part is 0% to 100%, not \(word)") }
        return .part(percent / 100)
    }
    let time = try parseTime(word)
    guard time.seconds >= 0 else { throw AckError(.badArgument, "Negative value not allowed: \(word)") }
    return .seconds(time.seconds)
}

extension Request<MusicServices> {
    fileprivate func sendArtwork(
        _ place: PicturePlace,
        _ uri: String,
        at offset: Int,
        _ find: @escaping @Sendable (ArtworkFinder, String) throws -> Artwork
    ) throws -> Outcome {
        let uri = services.media.uriInMusic(uri)
        return try sendOpen(place, uri, at: offset) ?? sendMade(place, uri, of: uri, at: offset) { try find($0, uri) }
    }

    fileprivate func sendArtwork(
        _ place: PicturePlace,
        ofPlaylist name: String,
        _ order: PictureOrder,
        at offset: Int
    ) throws -> Outcome {
        // A playlist at a URL is fetched only for those who may.
        if hasScheme(name) { throw AckError(.doesNotExist, "No such playlist") }
        let songs = QueueRange(start: 0, end: ArtworkFinder.songLimit)
        return try sendOpen(place, name, at: offset)
            ?? withPlaylist(name, songs) {
                try sendArtwork(place, name, ofSongs: $0, order, at: offset)
            }
    }

    fileprivate func sendArtwork(
        _ place: PicturePlace,
        ofFilter text: String,
        _ order: PictureOrder,
        at offset: Int
    ) throws -> Outcome {
        let query = try SongQuery([text, "window", "0:\(ArtworkFinder.songLimit)"], .exact)
        let library = try library
        if let outcome = try sendOpen(place, text, at: offset) { return outcome }
        return try perform(on: query.filter.workQueue) { cancellation in
            let query = query.cancelled { cancellation.isCancelled }
            return try library.read { try $0.songs($0.find(query)) }
        } then: { songs in
            try sendArtwork(place, text, ofSongs: songs, order, at: offset)
        }
    }

    private func sendArtwork(
        _ place: PicturePlace,
        _ name: String,
        ofSongs songs: [Song],
        _ order: PictureOrder,
        at offset: Int
    ) throws -> Outcome {
        guard let first = songs.first else { throw AckError(.doesNotExist, "there is no picture") }
        return try sendMade(place, name, of: first.uri, at: offset) { try $0.artwork(order, ofSongs: songs) }
    }

    /// Sends the next piece of a picture that the client is reading; `nil` when it has to be looked for.
    private func sendOpen(_ place: PicturePlace, _ name: String, at offset: Int) throws -> Outcome? {
        guard offset > 0, let picture = services.openPictures.take(place, name) else { return nil }
        return try send(picture, place, name, at: offset)
    }

    /// - Parameter uri: One of the files that are looked at.
    private func sendMade(
        _ place: PicturePlace,
        _ name: String,
        of uri: String,
        at offset: Int,
        _ find: @escaping @Sendable (ArtworkFinder) throws -> Artwork
    ) throws -> Outcome {
        let finder = try services.artwork.makeFinder()
        return try perform(on: .artwork(uri)) { cancellation -> FoundPicture in
            var finder = finder
            finder.cancellation = cancellation
            let artwork = try find(finder)
            return FoundPicture(artwork.picture, version: artwork.version)
        } then: { picture in
            try send(picture, place, name, at: offset)
        }
    }
}
