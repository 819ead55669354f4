internal import Songs
internal import TextEncodings

/// MP4 with one track of AAC or ALAC (ISO 14496-12, Apple's iTunes metadata).
///
/// Files with several tracks, such as video or chapters, and AAC that may have a doubled rate, are left to libavformat,
/// except for their tags.
extension HeaderReader {
    mutating func readMP4(into file: inout ScannedFile) -> Bool {
        let boxes = MP4Boxes(0..<window.size)
        guard let movie = boxes.first("moov", &window) else { return false }
        let content = MP4Boxes(movie)
        var smoothness: MP4Smoothness?
        let user = content.first("udta", &window)
        if let user, let meta = MP4Boxes(user).first("meta", &window),
            let list = MP4Boxes(meta: meta, &window).first("ilst", &window)
        {
            smoothness = readItems(list, into: &file)
            tags.recordEnd()
        }
        guard boxes.first("moof", &window) == nil else { return false }
        let data = boxes.all("mdat", &window)
        if data.count == 1, let payload = data.first {
            var id = PortableID("mp4")
            if id.combine(payload: payload, &window) { file.portableID = id.text }
        }
        let tracks = content.all("trak", &window)
        MP4Picture(tracks, content, &window)?.describe(&file)
        guard tracks.count == 1, let first = tracks.first, data.count == 1, let payload = data.first,
            content.first("mvex", &window) == nil, let track = MP4Track(first, &window)
        else { return false }
        if let user, MP4Boxes(user).first("chpl", &window) != nil { return false }
        let timing = MovieTiming(first, of: content, smoothness, sampleRate: track.rate, &window)
        guard let timing, let length = timing.length, length > 0 else { return false }
        file.codec = track.codec
        file.format = "\(track.rate):\(track.sampleBits):\(track.channels)"
        file.duration = Double(length) / Double(track.rate)
        file.isExactlyTimed = timing.isExact
        file.setBitRate(ofBytes: payload.count)
        return !window.isExhausted
    }

    /// - Returns: iTunes' record of the encoder's padding.
    private mutating func readItems(_ list: Range<Int>, into file: inout ScannedFile) -> MP4Smoothness? {
        var smoothness: MP4Smoothness?
        MP4Boxes(list).visit(&window) { name, item, window in
            if name == fourCC("covr") {
                file.cover = .embedded
                return
            }
            var meaning = TagMeaning.other
            var isSmoothness = false
            if name == fourCC("----") {
                guard let box = MP4Boxes(item).first("name", &window), (5...68).contains(box.count),
                    window.load(box.lowerBound, box.count)
                else { return }
                let word = window[box.lowerBound + 4..<box.upperBound]
                isSmoothness = word.elementsEqual(MP4Smoothness.name.utf8)
                meaning = tags.meaning(of: word)
            } else if let tag = MP4Names.tags[name] {
                meaning = .tag(tag)
            }
            guard isSmoothness || meaning != .other else { return }
            MP4Boxes(item).visit(&window) { kind, value, window in
                guard kind == fourCC("data"), value.count > 8 else { return }
                let limit = meaning == .cueSheet ? TagCollector.cueSheetLimit : TagCollector.valueLimit + 4
                let count = min(value.count - 8, limit)
                guard window.load(value.lowerBound, count + 8) else { return }
                let bytes = window[value.lowerBound + 8..<value.lowerBound + 8 + count]
                if isSmoothness {
                    smoothness = smoothness ?? MP4Smoothness(bytes)
                } else if name == fourCC("trkn") || name == fourCC("disk") {
                    guard bytes.count >= 4 else { return }
                    let number = Int(bytes[bytes.startIndex + 2]) << 8 | Int(bytes[bytes.startIndex + 3])
                    if number > 0 { tags.add(meaning, Array(String(number).utf8)[...], to: &file) }
                } else if name == fourCC("gnre") {
                    guard bytes.count >= 2, let last = bytes.prefix(2).last else { return }
                    if let genre = ID3Genres.name(Int(last) - 1) { tags.add(meaning, genre, to: &file) }
                } else if name == MP4Names.movementNumber {
                    let number = Int(bigEndian: bytes.prefix(4))
                    tags.add(meaning, Array(String(number).utf8)[...], to: &file)
                } else {
                    tags.add(meaning, bytes, to: &file)
                }
            }
        }
        return smoothness
    }
}

private enum MP4Names {
    static let movementNumber = apple("mvi")

    static let tags: [Int: TagType] = [
        apple("nam"): .title, apple("ART"): .artist, apple("aut"): .artist, fourCC("aART"): .albumArtist,
        apple("alb"): .album, apple("wrt"): .composer, apple("com"): .composer, apple("day"): .date,
        apple("gen"): .genre, fourCC("gnre"): .genre, apple("cmt"): .comment, apple("inf"): .comment,
        fourCC("desc"): .comment, apple("grp"): .grouping, fourCC("trkn"): .track, apple("trk"): .track,
        fourCC("disk"): .disc, fourCC("soar"): .artistSort, fourCC("soal"): .albumSort, fourCC("sonm"): .titleSort,
        fourCC("soaa"): .albumArtistSort, fourCC("soco"): .composerSort, apple("wrk"): .work, apple("mvn"): .movement,
        movementNumber: .movementNumber, apple("con"): .conductor, apple("pub"): .label,
    ]

    /// A name that starts with a copyright sign, as Apple's do.
    private static func apple(_ rest: StaticString) -> Int { 0xa9 << 24 | fourCC(rest) }
}
