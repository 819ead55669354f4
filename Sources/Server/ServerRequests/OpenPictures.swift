internal import AudioTypes
package import MediaCoding
package import PictureWorkers
internal import Songs

/// Pictures that clients are reading: the next pieces are served from memory, and come from the same picture.
package struct OpenPictures {
    private struct Entry {
        let place: PicturePlace
        let uri: String
        let picture: FoundPicture
        let lastUse: ContinuousClock.Instant
    }

    private var entries: [Entry] = []

    /// In bytes; larger files of pictures are read from disk piece by piece.
    package static let largest = 2_097_152
    private static let count = 4
    /// Of all that are kept, in bytes.
    private static let budget = 33_554_432
    /// A picture is dropped after this time without a request.
    private static let patience = Duration.seconds(10)

    /// Removes and returns a picture that was requested recently.
    package mutating func take(_ place: PicturePlace, _ uri: String) -> FoundPicture? {
        let now = ContinuousClock.now
        entries.removeAll { now - $0.lastUse > Self.patience }
        guard let index = entries.firstIndex(where: { $0.place == place && isSame($0.uri, uri) }) else { return nil }
        return entries.remove(at: index).picture
    }

    package mutating func keep(_ picture: FoundPicture, _ place: PicturePlace, _ uri: String) {
        guard picture.size <= Self.budget else { return }
        entries.removeAll { $0.place == place && isSame($0.uri, uri) }
        while entries.count >= Self.count || entries.reduce(picture.size, { $0 + $1.picture.size }) > Self.budget {
            entries.removeFirst()
        }
        entries.append(Entry(place: place, uri: uri, picture: picture, lastUse: .now))
    }
}

/// A picture, or a piece of one that is too large to be cached.
package struct FoundPicture: Sendable {
    /// Size of the whole picture, in bytes.
    package let size: Int
    /// Offset of the bytes in the whole picture.
    package let start: Int
    package let picture: MediaPicture
    /// Names what it was made of; `nil` for one that was not made.
    package let version: String?

    package var isWhole: Bool { picture.bytes.count == size }

    package init(_ picture: MediaPicture, version: String? = nil) {
        (size, start) = (picture.bytes.count, 0)
        (self.picture, self.version) = (picture, version)
    }

    package init(size: Int, start: Int, piece: [UInt8]) {
        (self.size, self.start) = (size, start)
        (picture, version) = (MediaPicture(mimeType: nil, bytes: piece), nil)
    }
}

/// Where a song's picture is stored.
package enum PicturePlace: Sendable, Hashable {
    case beside, embedded
    /// Made small for a client.
    case small(PictureOrder, command: String)

    package var badOffset: String {
        switch self {
        case .beside, .small: "Offset too large"
        case .embedded: "Bad file offset"
        }
    }
}
