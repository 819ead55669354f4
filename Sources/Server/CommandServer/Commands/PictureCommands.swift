internal import LibraryService
internal import LineProtocol
internal import MediaCoding
internal import MusicDirectories
internal import PictureWorkers
internal import Records
internal import ServerBasics
internal import ServerMusic
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
            return try send(FoundPicture(picture), place, uri, at: offset)
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

    /// Sends as much of a picture as one reply may have.
    func send(_ found: FoundPicture, _ place: PicturePlace, _ uri: String, at offset: Int) throws -> Outcome {
        guard offset <= found.size else { throw AckError(.badArgument, place.badOffset) }
        reply.line("size", found.size)
        if let mimeType = found.picture.mimeType { reply.line("type", mimeType) }
        let bytes = found.picture.bytes
        // The file may have become shorter since the last piece.
        let start = min(offset - found.start, bytes.count)
        let end = min(start + client.binaryLimit, bytes.count)
        reply.binary(bytes[start..<end])
        if found.isWhole, end < bytes.count { services.openPictures.keep(found.picture, place, uri) }
        return .done
    }
}

/// Where a song's picture is stored.
enum PicturePlace: Sendable, Hashable {
    case beside, embedded
    /// Made small for a client.
    case small(PictureOrder, command: String)

    fileprivate var badOffset: String {
        switch self {
        case .beside, .small: "Offset too large"
        case .embedded: "Bad file offset"
        }
    }
}

/// A picture, or a piece of one that is too large to be cached.
struct FoundPicture: Sendable {
    /// Size of the whole picture, in bytes.
    let size: Int
    /// Offset of the bytes in the whole picture.
    var start = 0
    let picture: MediaPicture

    var isWhole: Bool { picture.bytes.count == size }

    init(_ picture: MediaPicture) {
        size = picture.bytes.count
        self.picture = picture
    }

    init(size: Int, start: Int, piece: [UInt8]) {
        self.size = size
        self.start = start
        picture = MediaPicture(mimeType: nil, bytes: piece)
    }
}

/// Pictures that clients are reading: the next pieces are served from memory, and come from the same picture.
struct OpenPictures {
    private struct Entry {
        let place: PicturePlace
        let uri: String
        let picture: MediaPicture
        let lastUse: ContinuousClock.Instant
    }

    private var entries: [Entry] = []

    /// In bytes; larger pictures are read from disk piece by piece.
    static let largest = 2_097_152
    private static let count = 4
    /// A picture is dropped after this time without a request.
    private static let patience = Duration.seconds(1)

    /// Removes and returns a picture that was requested recently.
    mutating func take(_ place: PicturePlace, _ uri: String) -> MediaPicture? {
        let now = ContinuousClock.now
        entries.removeAll { now - $0.lastUse > Self.patience }
        guard let index = entries.firstIndex(where: { $0.place == place && isSame($0.uri, uri) }) else { return nil }
        return entries.remove(at: index).picture
    }

    mutating func keep(_ picture: MediaPicture, _ place: PicturePlace, _ uri: String) {
        guard picture.bytes.count <= Self.largest else { return }
        entries.removeAll { $0.place == place && isSame($0.uri, uri) }
        if entries.count >= Self.count { entries.removeFirst() }
        entries.append(Entry(place: place, uri: uri, picture: picture, lastUse: .now))
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
