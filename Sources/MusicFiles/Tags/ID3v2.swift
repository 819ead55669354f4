/// An ID3v2 tag at a file's beginning (id3.org: versions 2.2, 2.3 and 2.4), with what the library does not keep of it.
struct ID3v2 {
    private let version: UInt8
    private let isUnsynchronised: Bool
    private let body: [UInt8]
    private let start: Int
    /// Where the tag ends.
    let end: Int

    /// `nil` when the file does not begin with one.
    init?(_ source: borrowing TagSource) {
        let header = source.bytes(at: 0, count: 10)
        guard header.count == 10, header.starts(with: "ID3".utf8), (2...4).contains(header[3]) else { return nil }
        let size = synchsafe(header, at: 6)
        guard size <= TagSource.limit else { return nil }
        end = 10 + size + (header[5] & 0x10 != 0 ? 10 : 0)
        version = header[3]
        isUnsynchronised = header[5] & 0x80 != 0
        // In 2.4 each frame says for itself.
        let bytes = source.bytes(at: 10, count: size)
        body = isUnsynchronised && version < 4 ? resynchronised(bytes[...]) : bytes
        if header[5] & 0x40 != 0, version > 2 {
            start = version == 4 ? synchsafe(body, at: 0) : body.bigEndian(at: 0) + 4
        } else {
            start = 0
        }
    }

    /// The values of the frames with names of their own.
    var comments: [(String, String)] {
        var comments: [(String, String)] = []
        forEach { frame in
            guard frame.id == "TXXX" || frame.id == "TXX" else { return }
            var values = texts(frame.content)
            guard values.count > 1 else { return }
            let name = values.removeFirst()
            for value in values { comments.append((name, value)) }
        }
        return comments
    }

    func forEach(_ body: (Frame) -> Void) {
        var place = start
        while let frame = Frame(self.body, at: place, version: version, isUnsynchronised) {
            place = frame.end
            body(frame)
        }
    }

    struct Frame {
        let id: String
        let content: [UInt8]
        fileprivate let end: Int
    }
}

extension ID3v2.Frame {
    fileprivate init?(_ body: [UInt8], at place: Int, version: UInt8, _ isUnsynchronised: Bool) {
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
