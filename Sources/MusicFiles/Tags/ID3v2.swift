/// An ID3v2 tag at a file's beginning (id3.org: versions 2.2, 2.3 and 2.4), with every value of its text frames.
struct ID3v2 {
    private(set) var comments: [(String, String)] = []
    /// Where the tag ends.
    let end: Int

    /// `nil` when the file does not begin with one.
    ///
    /// - Parameter decodesFrames: Whether the frames with fixed meanings are given too, not only those with their own names.
    static func read(_ source: borrowing TagSource, decodesFrames: Bool) -> ID3v2? {
        let header = source.bytes(at: 0, count: 10)
        guard header.count == 10, header.starts(with: "ID3".utf8), (2...4).contains(header[3]) else { return nil }
        let size = synchsafe(header, at: 6)
        guard size <= TagSource.limit else { return nil }
        var tag = ID3v2(end: 10 + size + (header[5] & 0x10 != 0 ? 10 : 0))
        var body = source.bytes(at: 10, count: size)
        let version = header[3]
        let isUnsynchronised = header[5] & 0x80 != 0
        // In 2.4 each frame says for itself.
        if isUnsynchronised, version < 4 { body = resynchronised(body[...]) }
        var place = 0
        if header[5] & 0x40 != 0, version > 2 {
            place = version == 4 ? synchsafe(body, at: 0) : body.bigEndian(at: 0) + 4
        }
        while let frame = Frame(body, at: place, version: version, isUnsynchronised) {
            place = frame.end
            tag.add(frame, decodesFrames: decodesFrames)
        }
        return tag
    }

    private init(end: Int) { self.end = end }

    private mutating func add(_ frame: Frame, decodesFrames: Bool) {
        switch frame.id {
        case "TXXX", "TXX":
            var values = texts(frame.content)
            guard values.count > 1 else { return }
            let name = values.removeFirst()
            for value in values { comments.append((name, value)) }
        case "UFID", "UFI":
            guard decodesFrames, let zero = frame.content.firstIndex(of: 0),
                frame.content[..<zero].elementsEqual("http://musicbrainz.org".utf8)
            else { return }
            comments.append(("musicbrainz_trackid", String(decoding: frame.content[(zero + 1)...], as: UTF8.self)))
        case "COMM", "COM":
            // Encoding, three letters of language, a description, the comment.
            guard decodesFrames, frame.content.count > 4, let encoding = frame.content.first else { return }
            let values = texts([encoding] + frame.content[4...])
            if values.count > 1, values[0].isEmpty { comments.append(("comment", values[1])) }
        default:
            guard decodesFrames, let name = names[frame.id] else { return }
            for value in texts(frame.content) where !value.isEmpty {
                comments.append((name, name == "genre" ? genre(value) : value))
            }
        }
    }
}

private struct Frame {
    let id: String
    let content: [UInt8]
    let end: Int

    init?(_ body: [UInt8], at place: Int, version: UInt8, _ isUnsynchronised: Bool) {
        let (idLength, headerLength) = version == 2 ? (3, 6) : (4, 10)
        guard place >= 0, place + headerLength <= body.count, body[place] != 0 else { return nil }
        id = String(decoding: body[place..<place + idLength], as: UTF8.self)
        var size = body.bigEndian(at: place + idLength, count: idLength)
        if version == 4 {
            // iTunes wrote plain sizes into 2.4; they show where no frame follows the synchsafe one.
            let safe = synchsafe(body, at: place + 4)
            let follows = place + 10 + safe
            let isSound = follows >= body.count || body[follows] == 0 || isFrameID(body, at: follows)
            if isSound { size = safe }
        }
        let start = place + headerLength
        guard size > 0, size <= body.count - start else { return nil }
        end = start + size
        var data = body[start..<end]
        let flags = version == 2 ? 0 : body[place + 9]
        if version == 4 {
            if flags & 0x40 != 0 { data = data.dropFirst() }
            if flags & 0x01 != 0 { data = data.dropFirst(4) }
            // Compressed or encrypted: not readable here.
            if flags & 0x0c != 0 { data = [] }
            content = flags & 0x02 != 0 || isUnsynchronised ? resynchronised(data) : Array(data)
        } else {
            content = flags & 0xc0 != 0 ? [] : Array(data)
        }
    }
}

private func isFrameID(_ bytes: [UInt8], at place: Int) -> Bool {
    guard place + 4 <= bytes.count else { return false }
    return bytes[place..<place + 4].allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5a).contains($0) }
}

/// Seven bits to the byte.
private func synchsafe(_ bytes: [UInt8], at place: Int) -> Int {
    guard place >= 0, place + 4 <= bytes.count else { return 0 }
    return bytes[place..<place + 4].reduce(0) { $0 << 7 | Int($1 & 0x7f) }
}

/// The bytes without the zeros that were put behind each 0xff.
private func resynchronised(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    result.reserveCapacity(bytes.count)
    var previous: UInt8 = 0
    for byte in bytes {
        if previous != 0xff || byte != 0 { result.append(byte) }
        previous = byte
    }
    return result
}

/// The texts of a frame, by its first byte's encoding; several are divided by NULs.
private func texts(_ content: [UInt8]) -> [String] {
    guard let encoding = content.first else { return [] }
    let bytes = content.dropFirst()
    var parts: [String]
    switch encoding {
    case 0: parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map(latin1)
    case 3:
        parts = bytes.split(separator: 0, omittingEmptySubsequences: false).map { String(decoding: $0, as: UTF8.self) }
    case 1, 2: parts = utf16(Array(bytes), isBigEndian: encoding == 2)
    default: return []
    }
    while parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
    return parts
}

private func latin1(_ bytes: ArraySlice<UInt8>) -> String {
    // Many writers put UTF-8 where Latin-1 is promised.
    if bytes.contains(where: { $0 >= 0x80 }), let text = String(validating: bytes, as: UTF8.self) { return text }
    return String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
}

private func utf16(_ bytes: [UInt8], isBigEndian: Bool) -> [String] {
    var isBig = isBigEndian
    var parts: [[UInt16]] = [[]]
    for place in stride(from: 0, to: bytes.count - 1, by: 2) {
        let unit = isBig ? bytes.bigEndian(at: place, count: 2) : bytes.littleEndian(at: place, count: 2)
        switch unit {
        case 0: parts.append([])
        case 0xfeff where parts[parts.count - 1].isEmpty: break
        case 0xfffe where parts[parts.count - 1].isEmpty: isBig.toggle()
        default: parts[parts.count - 1].append(UInt16(unit))
        }
    }
    return parts.map { String(decoding: $0, as: UTF16.self) }
}

/// A genre as text: `(17)Rock`, `(17)` and `17` name one of ID3v1's.
private func genre(_ value: String) -> String {
    var number = value[...]
    if value.hasPrefix("("), let close = value.firstIndex(of: ")") {
        let rest = value[value.index(after: close)...]
        if !rest.isEmpty { return String(rest) }
        number = value[value.index(after: value.startIndex)..<close]
    }
    guard let index = Int(number), genres.indices.contains(index) else { return value }
    return genres[index]
}

/// What the frames are called among FFmpeg's names.
private let names: [String: String] = [
    "TPE1": "artist", "TPE2": "album_artist", "TPE3": "conductor", "TALB": "album", "TIT1": "grouping", "TIT2": "title",
    "TRCK": "track", "TPOS": "disc", "TCON": "genre", "TDRC": "date", "TYER": "date", "TDOR": "originaldate",
    "TORY": "originaldate", "TCOM": "composer", "TPUB": "label", "TMOO": "mood", "TSOP": "artistsort",
    "TSOA": "albumsort", "TSOT": "titlesort", "TSO2": "albumartistsort", "TSOC": "composersort", "MVNM": "movement",
    "MVIN": "movementnumber", "GRP1": "grouping",
    "TP1": "artist", "TP2": "album_artist", "TP3": "conductor", "TAL": "album", "TT1": "grouping", "TT2": "title",
    "TRK": "track", "TPA": "disc", "TCO": "genre", "TYE": "date", "TOR": "originaldate", "TCM": "composer",
    "TPB": "label", "TSP": "artistsort", "TSA": "albumsort", "TST": "titlesort", "TS2": "albumartistsort",
    "TSC": "composersort",
]

/// ID3v1's genres and Winamp's first extension (id3.org, appendix A).
private let genres = """
    Blues,Classic Rock,Country,Dance,Disco,Funk,Grunge,Hip-Hop,Jazz,Metal,New Age,Oldies,Other,Pop,R&B,Rap,Reggae,Rock,\
    Techno,Industrial,Alternative,Ska,Death Metal,Pranks,Soundtrack,Euro-Techno,Ambient,Trip-Hop,Vocal,Jazz+Funk,Fusion,\
    Trance,Classical,Instrumental,Acid,House,Game,Sound Clip,Gospel,Noise,Alternative Rock,Bass,Soul,Punk,Space,\
    Meditative,Instrumental Pop,Instrumental Rock,Ethnic,Gothic,Darkwave,Techno-Industrial,Electronic,Pop-Folk,Eurodance,\
    Dream,Southern Rock,Comedy,Cult,Gangsta,Top 40,Christian Rap,Pop/Funk,Jungle,Native US,Cabaret,New Wave,Psychadelic,\
    Rave,Showtunes,Trailer,Lo-Fi,Tribal,Acid Punk,Acid Jazz,Polka,Retro,Musical,Rock & Roll,Hard Rock
    """.split(separator: ",").map(String.init)
