internal import LibraryService
internal import LineProtocol
internal import MediaCoding
internal import MusicDirectories
internal import PictureWorkers
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import Songs

/// Cover pictures, sent in pieces (the manual's section "The music database").
let pictureCommands: [Row<MusicServices>] = [
    Row(
        "albumart",
        .read,
        library: .song,
        reply: .records(.picture),
        .text("URI"),
        .unsigned("OFFSET", through: Int.max)
    ) {
        request,
        uri,
        offset in
        try request.sendPicture(.beside, uri, at: offset)
    },
    Row(
        "readpicture",
        .read,
        library: .song,
        reply: .records(.picture),
        .text("URI"),
        .unsigned("OFFSET", through: Int.max)
    ) {
        request,
        uri,
        offset in
        try request.sendPicture(.embedded, uri, at: offset)
    },
]

extension Request<MusicServices> {
    fileprivate func sendPicture(_ place: PicturePlace, _ uri: String, at offset: Int) throws -> Outcome {
        let music = try services.media.requireDirectory()
        let uri = services.media.uriInMusic(uri)
        if offset > 0, let picture = services.openPictures.take(place, uri) {
            return try send(picture, place, uri, at: offset)
        }
        let (pictures, library, limit) = (services.media.pictures, services.upkeep.completeLibrary, client.binaryLimit)
        return try perform(on: .pictures(uri)) { () -> FoundPicture? in
            switch place {
            case .beside: try pictures.cover(uri, in: music, library, piece: offset, limit)
            case .embedded, .small: try asSong { try pictures.embedded(uri, in: music, library) }
            }
        } then: { found in
            guard let found else { return .done }
            return try send(found, place, uri, at: offset)
        }
    }

    /// Bytes that are added to a reply in one go; more are sent as the client reads them.
    private static var longestAtOnce: Int { 16 * 1024 }

    /// Sends as much of a picture as one reply may have.
    func send(_ found: FoundPicture, _ place: PicturePlace, _ uri: String, at offset: Int) throws -> Outcome {
        guard offset <= found.size else { throw AckError(.badArgument, place.badOffset) }
        reply.line("size", found.size)
        if let mimeType = found.picture.mimeType { reply.line("type", mimeType) }
        if let version = found.version { reply.line("version", version) }
        let bytes = found.picture.bytes
        // The file may have become shorter since the last piece.
        let start = min(offset - found.start, bytes.count)
        let end = min(start + client.binaryLimit, bytes.count)
        if found.isWhole, end < bytes.count { services.openPictures.keep(found, place, uri) }
        return send(bytes[start..<end])
    }

    /// Sends a piece of a file at the end of a reply.
    func send(_ bytes: ArraySlice<UInt8>) -> Outcome {
        if bytes.count <= Self.longestAtOnce {
            reply.binary(bytes)
            return .done
        }
        reply.line("binary", bytes.count)
        return .streamThen(ByteSource(bytes)) {
            reply.bytes.append(0x0a)
            return .done
        }
    }
}

extension PictureCache {
    fileprivate func embedded(
        _ uri: String,
        in music: MusicDirectory,
        _ library: MusicLibrary?
    ) throws -> FoundPicture? {
        try picture(uri, in: music) { file, state in library?.hasPicture(file, state) }.map { FoundPicture($0) }
    }

    /// The picture file beside a song; only one piece of it if it is very large.
    fileprivate func cover(
        _ uri: String,
        in music: MusicDirectory,
        _ library: MusicLibrary?,
        piece offset: Int,
        _ limit: Int
    ) throws -> FoundPicture {
        guard let file = try? coverFile(uri, in: music, known: { library?.cover(in: $0, $1) }) else {
            throw AckError(.doesNotExist, "No file exists")
        }
        guard file.size > OpenPictures.largest, offset <= file.size else {
            let count = min(file.size, OpenPictures.largest)
            return FoundPicture(size: file.size, start: 0, piece: try file.bytes(at: 0, count: count))
        }
        return FoundPicture(size: file.size, start: offset, piece: try file.bytes(at: offset, count: limit))
    }
}
