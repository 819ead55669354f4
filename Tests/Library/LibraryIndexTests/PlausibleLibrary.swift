import LibraryIndex
import MediaHeaders
import Songs

/// Albums as people have them: artists of uneven diligence, compilations, identifiers in some.
struct PlausibleLibrary: Sequence, IteratorProtocol {
    private var random: SeededGenerator
    private var left: Int
    private var albumNumber = 0
    private let vocabulary: [String]
    private let artists: [String]

    init(songs: Int, seed: UInt64 = 1) {
        var random = SeededGenerator(seed)
        left = songs
        let syllables = [
            "ka", "mo", "ri", "the", "lon", "es", "tar", "vi", "dö", "sun", "nor", "é", "wa", "li", "ber", "ght",
        ]
        vocabulary = (0..<4_000).map { _ in
            (0..<Int.random(in: 1...4, using: &random)).map { _ in syllables.randomElement(using: &random) ?? "" }
                .joined()
        }
        let vocabulary = vocabulary
        artists = (0..<2_000).map { _ in Self.title(vocabulary, 1...3, &random) }
        self.random = random
    }

    private static func title(_ words: [String], _ count: ClosedRange<Int>, _ random: inout SeededGenerator) -> String {
        // Some words are much commoner than others.
        (0..<Int.random(in: count, using: &random)).map { _ in
            let place = Double.random(in: 0..<1, using: &random)
            let word = words[Int(place * place * place * Double(words.count))]
            return word.prefix(1).uppercased() + word.dropFirst()
        }.joined(separator: " ")
    }

    private mutating func artist() -> String {
        let place = Double.random(in: 0..<1, using: &random)
        return artists[Int(place * place * Double(artists.count))]
    }

    private mutating func identifier() -> String {
        func hex(_ digits: Int) -> String {
            String((0..<digits).map { _ in "0123456789abcdef".randomElement(using: &random) ?? "0" })
        }
        return "\(hex(8))-\(hex(4))-\(hex(4))-\(hex(4))-\(hex(12))"
    }

    /// The files of one album.
    mutating func next() -> [ScannedFile]? {
        guard left > 0 else { return nil }
        albumNumber += 1
        let count = Swift.min(left, Int.random(in: 6...16, using: &random))
        left -= count
        let isCompilation = Int.random(in: 0..<10, using: &random) == 0
        let albumArtist = isCompilation ? "Various Artists" : artist()
        let album = Self.title(vocabulary, 1...4, &random)
        let genre =
            ["Rock", "Pop", "Jazz", "Electronic", "Classical", "Folk", "Metal", "Hip-LoopExecutor", "Ambient", "Blues"]
            .randomElement(using: &random) ?? ""
        let date = "\(Int.random(in: 1_960...2_024, using: &random))"
        let identifiers = Int.random(in: 0..<5, using: &random) < 2 ? [identifier(), identifier()] : []
        return (1...count).map { number in
            let title = Self.title(vocabulary, 1...5, &random)
            let name = "\(number < 10 ? "0" : "")\(number) \(title).flac"
            var file = file("\(albumArtist)/\(album) \(albumNumber)/\(name)")
            file.size = Int.random(in: 3_000_000...40_000_000, using: &random)
            file.modified = Int64.random(in: 1_400_000_000...1_700_000_000, using: &random) * 1_000_000_000
            file.inode = UInt64(albumNumber * 100 + number)
            file.tags = [
                (.artist, isCompilation ? artist() : albumArtist), (.albumArtist, albumArtist), (.album, album),
                (.title, title),
                (.track, "\(number)"), (.genre, genre), (.date, date), (.disc, "1"),
            ]
            if Int.random(in: 0..<3, using: &random) == 0 { file.tags.append((.composer, artist())) }
            if let first = identifiers.first, let last = identifiers.last {
                file.tags += [
                    (.musicBrainzAlbum, first), (.musicBrainzArtist, last), (.musicBrainzTrack, identifier()),
                ]
            }
            file.duration = Double.random(in: 90...480, using: &random)
            file.format = "44100:16:2"
            file.codec = "flac"
            file.bitRate = 900_000
            file.portableID = String(random.next(), radix: 16) + String(random.next(), radix: 16)
            file.cover = .embedded
            return file
        }
    }
}
