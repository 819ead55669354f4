internal import AudioTypes
internal import Songs

/// ID3v2's frames: texts with all their values, comments, pictures.
extension HeaderReader {
    /// - Returns: Whether the whole tag could be read.
    mutating func readID3v2(_ header: ID3v2Header, into file: inout ScannedFile) -> Bool {
        var dates = ID3v2Dates()
        let isWhole = header.visit(&window) { frame, window in tags.add(frame, &window, &dates, &file) }
        dates.add(to: &tags, &file)
        tags.fillIn(&file)
        return isWhole
    }
}

extension TagCollector {
    fileprivate mutating func add(
        _ frame: ID3v2Frame,
        _ window: inout ByteWindow,
        _ dates: inout ID3v2Dates,
        _ file: inout ScannedFile
    ) {
        switch frame.id {
        case fourCC("APIC"), fourCC("PIC"): file.cover = .embedded
        case fourCC("CHAP"): recordChapters()
        case fourCC("TXXX"), fourCC("TXX"):
            guard let (name, values) = frame.namedValues(atMost: Self.cueSheetLimit, &window) else { return }
            let meaning = meaning(of: name)
            for value in values { add(meaning, value, to: &file) }
        case fourCC("UFID"), fourCC("UFI"):
            guard let bytes = frame.bytes(atMost: 1024, &window), let zero = bytes.firstIndex(of: 0),
                bytes[..<zero].elementsEqual("http://musicbrainz.org".utf8)
            else { return }
            add(.musicBrainzTrack, bytes[(zero + 1)...], to: &file)
        case fourCC("RVA2"): if let volume = frame.volume(&window) { add(volume) }
        case fourCC("COMM"), fourCC("COM"):
            // Encoding, three letters of language, a description, the comment.
            guard let bytes = frame.bytes(atMost: 2 * Self.valueLimit, &window), bytes.count > 4 else { return }
            let values = ID3Text.values(bytes.prefix(1) + bytes.dropFirst(4), &window.text)
            // iTunes stores data for programs there, such as `iTunNORM` and `iTunes_CDDB_1`.
            if values.count > 1, !values[0].starts(with: "iTun".utf8) { add(.comment, values[1], to: &file) }
        default:
            if dates.add(frame.id, { texts(of: frame, &window) }) { return }
            guard let tag = ID3v2Names.tags[frame.id] else { return }
            let found = texts(of: frame, &window)
            for value in tag == .genre ? found.flatMap(ID3Genres.genres) : found { add(tag, value, to: &file) }
        }
    }

    /// The non-empty texts.
    private func texts(of frame: ID3v2Frame, _ window: inout ByteWindow) -> [ArraySlice<UInt8>] {
        guard let bytes = frame.bytes(atMost: 8 * Self.valueLimit, &window) else { return [] }
        return ID3Text.values(bytes, &window.text).filter { !$0.isEmpty }
    }
}

/// The meanings of the frames.
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
