internal import Songs

/// The tags at a file's end: ID3v1, Lyrics3 and APE.
struct TailTags {
    /// Where the sound ends: before all of them.
    private(set) var audioEnd: Int
    private var id3v1: Int?
    private var ape: APETag?

    init(_ window: inout ByteWindow) {
        audioEnd = window.size
        // The usual tail at once, with the last sound before it.
        _ = window.load(max(0, window.size - 2048), min(2048, window.size))
        // In any order, though each should come once.
        for _ in 0..<4 {
            if id3v1 == nil, window.has("TAG", at: audioEnd - 128) {
                audioEnd -= 128
                id3v1 = audioEnd
            } else if let tag = APETag(endingAt: audioEnd, &window) {
                ape = ape ?? tag
                audioEnd = tag.start
            } else if window.has("LYRICS200", at: audioEnd - 9), window.load(audioEnd - 15, 6) {
                let digits = window[audioEnd - 15..<audioEnd - 9]
                guard digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return }
                let size = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) } + 15
                guard size <= audioEnd else { return }
                audioEnd -= size
            } else {
                return
            }
        }
    }

    /// Reads APE's items, else ID3v1.
    ///
    /// - Parameter isOnlyGain: Whether the file has better tags; then only the loudness is taken, which mp3gain writes so.
    func read(
        _ window: inout ByteWindow,
        _ tags: inout TagCollector,
        isOnlyGain: Bool,
        into file: inout ScannedFile
    ) {
        ape?.read(&window, &tags, isOnlyGain: isOnlyGain, into: &file)
        tags.fillIn(&file)
        guard !isOnlyGain, file.tags.isEmpty, let id3v1 else { return }
        readID3v1(at: id3v1, &window, &tags, into: &file)
    }

    private func readID3v1(
        at place: Int,
        _ window: inout ByteWindow,
        _ tags: inout TagCollector,
        into file: inout ScannedFile
    ) {
        guard window.load(place, 128) else { return }
        let bytes = Array(window[place..<place + 128])
        func add(_ tag: TagType, _ range: Range<Int>) {
            tags.add(tag, ID3Text.latin1(bytes[range].prefix { $0 != 0 }), to: &file)
        }
        add(.title, 3..<33)
        add(.artist, 33..<63)
        add(.album, 63..<93)
        add(.date, 93..<97)
        // Version 1.1 keeps a track's number in the comment's end.
        let hasTrack = bytes[125] == 0 && bytes[126] != 0
        add(.comment, 97..<(hasTrack ? 125 : 127))
        if hasTrack { file.tags.append((.track, String(bytes[126]))) }
        if let genre = ID3Genres.name(Int(bytes[127])) { tags.add(.genre, genre, to: &file) }
    }
}

/// An APE tag, version 2 or 1, at a file's end.
private struct APETag {
    /// Where it begins, with its header.
    let start: Int
    private let items: Range<Int>
    private let count: Int

    /// More than any tag has, pictures included, in bytes.
    private static let limit = 32 * 1_048_576

    init?(endingAt end: Int, _ window: inout ByteWindow) {
        guard window.has("APETAGEX", at: end - 32), let size = window.littleEndian(end - 20, 4),
            let count = window.littleEndian(end - 16, 4), let flags = window.littleEndian(end - 12, 4),
            (32...Self.limit).contains(size), size <= end
        else { return nil }
        items = end - size..<end - 32
        self.count = min(count, 65_536)
        // The header is not in the size.
        start = max(0, items.lowerBound - (flags & 0x8000_0000 != 0 ? 32 : 0))
    }

    func read(
        _ window: inout ByteWindow,
        _ tags: inout TagCollector,
        isOnlyGain: Bool,
        into file: inout ScannedFile
    ) {
        var place = items.lowerBound
        for _ in 0..<count {
            guard place + 8 < items.upperBound, let length = window.littleEndian(place, 4),
                let flags = window.littleEndian(place + 4, 4)
            else { return }
            let reach = min(256, items.upperBound - place - 8)
            guard window.load(place + 8, reach),
                let zero = window[place + 8..<place + 8 + reach].firstIndex(of: 0)
            else { return }
            let nameLength = zero - window[place + 8..<place + 8 + reach].startIndex
            let start = place + 8 + nameLength + 1
            guard length <= items.upperBound - start else { return }
            let meaning = tags.meaning(of: window[place + 8..<start - 1])
            place = start + length
            if meaning == .picture, !isOnlyGain || file.cover == .none { file.cover = .embedded }
            // Bits 1 and 2 tell text from bytes and links.
            guard flags & 6 == 0, isWanted(meaning, isOnlyGain) else { continue }
            let limit = meaning == .cueSheet ? TagCollector.cueSheetLimit : 8 * TagCollector.valueLimit
            guard window.load(start, min(length, limit)) else { return }
            for part in window[start..<start + min(length, limit)].split(separator: 0, maxSplits: 1000) {
                tags.add(meaning, part, to: &file)
            }
        }
    }

    private func isWanted(_ meaning: TagMeaning, _ isOnlyGain: Bool) -> Bool {
        switch meaning {
        case .other, .picture: false
        case .gain: true
        case .tag, .substitute, .cueSheet, .chapter: !isOnlyGain
        }
    }
}
