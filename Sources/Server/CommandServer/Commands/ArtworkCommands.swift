internal import AudioTypes
internal import FFmpeg
internal import LineProtocol
internal import PictureWorkers
internal import Pictures

/// Pictures at the size that a client shows them, sent in pieces as `readpicture` does.
let artworkCommands: [Command] = [
    Command(
        "artwork",
        .read,
        .required("TYPE", parseArtworkType),
        .text("URI"),
        .number("SIZE", artworkSizes, unit: "pixels"),
        .unsigned("OFFSET", through: Int.max),
        .optional(.required("FORMAT", parsePictureFormat))
    ) { client, ofDirectory, uri, size, offset, format in
        let order = PictureOrder(side: size, format: format ?? .jpeg)
        client.server.artworkAhead.wasAsked(for: order)
        return try client.sendArtwork(.small(order, command: ofDirectory ? "directory" : "song"), uri, at: offset) {
            finder,
            uri in
            ofDirectory ? try finder.artwork(order, ofDirectory: uri) : try finder.artwork(order, ofSong: uri)
        }
    },
    Command(
        "thumbnail",
        .read,
        .text("URI"),
        .number("SIZE", artworkSizes, unit: "pixels"),
        .required("TIME", parseMoment),
        .unsigned("OFFSET", through: Int.max)
    ) { client, uri, size, moment, offset in
        let order = PictureOrder(side: size, moment: moment)
        return try client.sendArtwork(.small(order, command: "thumbnail"), uri, at: offset) { finder, uri in
            try finder.artwork(order, ofFile: uri)
        }
    },
]

/// In pixels.
private let artworkSizes = 1...4_096

/// Whether the artwork is a directory's rather than a song's.
private func parseArtworkType(_ word: String) throws(AckError) -> Bool {
    switch word {
    case "song": return false
    case "directory": return true
    default: throw AckError(.badArgument, "artwork is of a song or a directory, not of a \"\(word)\"")
    }
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

extension Client {
    fileprivate func sendArtwork(
        _ place: PicturePlace,
        _ uri: String,
        at offset: Int,
        _ find: @escaping @Sendable (ArtworkFinder, String) throws -> Artwork
    ) throws -> Outcome {
        let finder = try server.artworkFinder
        let uri = server.media.uriInMusic(uri)
        if offset > 0, let picture = server.media.openPictures.take(place, uri) {
            return try send(FoundPicture(picture), place, uri, at: offset)
        }
        return try server.jobs.perform(for: self, on: .artwork(uri)) { cancellation -> MediaPicture in
            var finder = finder
            finder.cancellation = cancellation
            return try find(finder, uri).picture
        } then: { [unowned self] picture in
            try send(FoundPicture(picture), place, uri, at: offset)
        }
    }
}
