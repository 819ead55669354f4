internal import AudioTypes
internal import Songs

/// ID3v2's frames: texts with all their values, comments, pictures.
extension HeaderReader {
    /// What of a tag is read that is unsynchronised as a whole, and so can only be read from its beginning, in bytes.
    private static let unsynchronisedLimit = 4 * 1_048_576

    /// - Returns: Whether all of it could be read.
    mutating func readID3v2(_ header: ID3v2Header, into file: inout ScannedFile) -> Bool {
        // A tag that ends behind the file is damaged, but what is there of it may be read.
        let body = header.body.lowerBound..<min(header.body.upperBound, window.size)
        guard header.isUnsynchronised, header.version < 4 else {
            ID3v2Frames(header, body).read(&window, &tags, into: &file)
            return !window.isExhausted
        }
        guard body.count <= Self.unsynchronisedLimit, window.load(body.lowerBound, body.count) else { return false }
        var plain = ByteWindow()
        let bytes = resynchronised(window[body])
        plain.begin(bytes)
        ID3v2Frames(header, 0..<bytes.count).read(&plain, &tags, into: &file)
        return true
    }
}

/// The frames of a tag.
private struct ID3v2Frames {
    private let version: UInt8
    private let isUnsynchronised: Bool
    private let hasExtendedHeader: Bool
    private let body: Range<Int>

    init(_ header: ID3v2Header, _ body: Range<Int>) {
        version = header.version
        isUnsynchronised = header.isUnsynchronised && header.version == 4
        hasExtendedHeader = header.hasExtendedHeader
        self.body = body
    }

    /// More frames than any tag has that is as it should be.
    private static let limit = 16_384

    func read(_ window: inout ByteWindow, _ tags: inout TagCollector, into file: inout ScannedFile) {
        var place = body.lowerBound
        if hasExtendedHeader {
            // 2.3 does not count the size itself.
            guard let size = version == 4 ? window.synchsafe(place) : window.bigEndian(place, 4).map({ $0 + 4 }),
                size <= body.count
            else { return }
            place += size
        }
        var dates = ID3v2Dates()
        for _ in 0..<Self.limit {
            guard let frame = frame(at: place, &window) else { break }
            place = frame.end
            add(frame, &window, &tags, &dates, &file)
        }
        dates.add(to: &tags, &file)
        tags.fillIn(&file)
    }

    private struct Frame {
        var id: Int
        var content: Range<Int>
        var end: Int
        var isUnsynchronised: Bool
    }

    private func frame(at place: Int, _ window: inout ByteWindow) -> Frame? {
        let (idLength, headerLength) = version == 2 ? (3, 6) : (4, 10)
        guard place + headerLength <= body.upperBound, window.load(place, headerLength), window[place] != 0,
            let id = window.bigEndian(place, idLength), var size = window.bigEndian(place + idLength, idLength)
        else { return nil }
        let start = place + headerLength
        let flags = version == 2 ? 0 : window[place + 9]
        if version == 4, let safe = window.synchsafe(place + 4), safe != size {
            // iTunes wrote plain sizes into 2.4; they show where no frame follows the synchsafe one.
            if isFrameOrEnd(start + safe, &window) { size = safe }
        }
        guard size > 0, size <= body.upperBound - start else { return nil }
        var content = start..<start + size
        var skipped = 0
        var isUnsynchronised = false
        var isReadable = true
        if version == 4 {
            skipped = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
            isReadable = flags & 0x0c == 0
            isUnsynchronised = flags & 0x02 != 0 || self.isUnsynchronised
        } else if version == 3 {
            skipped = flags & 0x20 != 0 ? 1 : 0
            isReadable = flags & 0xc0 == 0
        }
        content = min(content.upperBound, content.lowerBound + skipped)..<content.upperBound
        // Compressed or encrypted.
        if !isReadable { content = content.upperBound..<content.upperBound }
        return Frame(id: id, content: content, end: start + size, isUnsynchronised: isUnsynchronised)
    }

    private func isFrameOrEnd(_ place: Int, _ window: inout ByteWindow) -> Bool {
        guard place + 4 <= body.upperBound, window.load(place, 4) else { return place >= body.upperBound }
        if window[place] == 0 { return true }
        return (place..<place + 4).allSatisfy {
            (0x30...0x39).contains(window[$0]) || (0x41...0x5a).contains(window[$0])
        }
    }

    private func add(
        _ frame: Frame,
        _ window: inout ByteWindow,
        _ tags: inout TagCollector,
        _ dates: inout ID3v2Dates,
        _ file: inout ScannedFile
    ) {
        switch frame.id {
        case fourCC("APIC"), fourCC("PIC"): file.cover = .embedded
        case fourCC("CHAP"): tags.noteChapters()
        case fourCC("TXXX"), fourCC("TXX"):
            guard let text = content(of: frame, limit: TagCollector.cueSheetLimit, &window) else { return }
            let values = ID3Text.values(text)
            guard values.count > 1, let name = values.first else { return }
            let meaning = tags.meaning(of: name)
            for value in values.dropFirst() { tags.add(meaning, value, to: &file) }
        case fourCC("UFID"), fourCC("UFI"):
            guard let bytes = content(of: frame, limit: 1024, &window), let zero = bytes.firstIndex(of: 0),
                bytes[..<zero].elementsEqual("http://musicbrainz.org".utf8)
            else { return }
            tags.add(.musicBrainzTrack, bytes[(zero + 1)...], to: &file)
        case fourCC("RVA2"):
            guard let bytes = content(of: frame, limit: 256, &window) else { return }
            if let volume = ReplayGain(volumeFrame: bytes) { tags.add(volume) }
        case fourCC("COMM"), fourCC("COM"):
            // Encoding, three letters of language, a description, the comment.
            guard let bytes = content(of: frame, limit: 2 * TagCollector.valueLimit, &window), bytes.count > 4 else {
                return
            }
            let values = ID3Text.values(bytes.prefix(1) + bytes.dropFirst(4))
            // iTunes keeps there what is for programs, such as `iTunNORM` and `iTunes_CDDB_1`.
            if values.count > 1, !values[0].starts(with: "iTun".utf8) { tags.add(.comment, values[1], to: &file) }
        default:
            if dates.note(frame.id, { texts(of: frame, &window) }) { return }
            guard let tag = ID3v2Names.tags[frame.id] else { return }
            let found = texts(of: frame, &window)
            for value in tag == .genre ? found.flatMap(ID3Genres.genres) : found { tags.add(tag, value, to: &file) }
        }
    }

    /// The texts that are not empty.
    private func texts(of frame: Frame, _ window: inout ByteWindow) -> [ArraySlice<UInt8>] {
        guard let bytes = content(of: frame, limit: 8 * TagCollector.valueLimit, &window) else { return [] }
        return ID3Text.values(bytes).filter { !$0.isEmpty }
    }

    private func content(of frame: Frame, limit: Int, _ window: inout ByteWindow) -> ArraySlice<UInt8>? {
        let range = frame.content.prefix(limit)
        guard !range.isEmpty, window.load(range.startIndex, range.count) else { return nil }
        let bytes = window[range.startIndex..<range.endIndex]
        return frame.isUnsynchronised ? resynchronised(bytes)[...] : bytes
    }
}

/// What the frames mean.
private enum ID3v2Names {
    static let tags: [Int: TagType] = [
        fourCC("TPE1"): .artist, fourCC("TPE2"): .albumArtist, fourCC("TPE3"): .conductor, fourCC("TPE4"): .performer,
        fourCC("TALB"): .album, fourCC("TIT1"): .grouping, fourCC("TIT2"): .title, fourCC("TRCK"): .track,
        fourCC("TPOS"): .disc, fourCC("TCON"): .genre, fourCC("TDRC"): .date, fourCC("TDOR"): .originalDate,
        fourCC("TCOM"): .composer,
        fourCC("TPUB"): .label, fourCC("TMOO"): .mood, fourCC("TSOP"): .artistSort, fourCC("TSOA"): .albumSort,
        fourCC("TSOT"): .titleSort, fourCC("TSO2"): .albumArtistSort, fourCC("TSOC"): .composerSort,
        fourCC("MVNM"): .movement, fourCC("MVIN"): .movementNumber, fourCC("GRP1"): .grouping,
        fourCC("TP1"): .artist, fourCC("TP2"): .albumArtist, fourCC("TP3"): .conductor, fourCC("TP4"): .performer,
        fourCC("TAL"): .album, fourCC("TT1"): .grouping, fourCC("TT2"): .title, fourCC("TRK"): .track,
        fourCC("TPA"): .disc, fourCC("TCO"): .genre, fourCC("TCM"): .composer, fourCC("TPB"): .label,
        fourCC("TSP"): .artistSort, fourCC("TSA"): .albumSort, fourCC("TST"): .titleSort,
        fourCC("TS2"): .albumArtistSort, fourCC("TSC"): .composerSort,
    ]
}
