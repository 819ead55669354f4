internal import Songs
internal import TextEncodings

extension TagType {
    /// Whether the songs of an album usually share it, so that it is stored in their tag set.
    var isShared: Bool { Self.shared.contains(self) }

    /// Tags that have substitutes are all shared, and so are their substitutes.
    private static let shared = TagMask([
        .artist, .artistSort, .album, .albumSort, .albumArtist, .albumArtistSort, .genre, .date, .originalDate, .disc,
        .label, .musicBrainzArtist, .musicBrainzAlbum, .musicBrainzAlbumArtist, .musicBrainzReleaseGroup,
    ])

    /// Whether its values usually occur many times, but not throughout an album.
    var isCommon: Bool { Self.common.contains(self) }

    private static let common = TagMask([.track, .composer, .performer, .conductor, .ensemble, .location, .mood])

    /// Whether its values are usually hexadecimal identifiers, of which no search matches a part.
    var isIdentifier: Bool { rawValue >= TagType.musicBrainzArtist.rawValue }

    /// Its bit in a mask of tags.
    var bit: Int { 1 << Int(rawValue) }
}

/// Tags as the numbers of their values, in the song's order: one byte for the tag, four for the value.
struct PackedTags: Hashable, Sequence {
    private(set) var bytes: [UInt8]

    init(bytes: [UInt8] = []) { self.bytes = bytes }

    mutating func append(_ tag: TagType, _ value: Int) {
        let number = UInt32(truncatingIfNeeded: value)
        bytes.append(tag.rawValue)
        for shift in [24, 16, 8, 0] as [UInt32] { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
    }

    func makeIterator() -> Iterator { Iterator(bytes: bytes) }

    struct Iterator: IteratorProtocol {
        fileprivate let bytes: [UInt8]
        private var place = 0

        fileprivate init(bytes: [UInt8]) { self.bytes = bytes }

        mutating func next() -> (tag: TagType, value: Int)? {
            guard place + 5 <= bytes.count, let tag = TagType(rawValue: bytes[place]) else { return nil }
            defer { place += 5 }
            return (tag, Int(bigEndian: bytes[place + 1...place + 4]))
        }
    }
}

/// Whether parts of a value are found by trigrams, rather than by checking all values of its tag.
func hasTrigrams(_ tag: TagType, folded: String) -> Bool { !(tag.isIdentifier && isHexadecimal(folded)) }

/// Whether a text consists only of lower-case hexadecimal digits and hyphens.
func isHexadecimal(_ text: String) -> Bool {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) || $0 == UInt8(ascii: "-") }
}
