/// Where in files of media the numbers are.
enum Containers {
    static func fields(of bytes: [UInt8]) -> [Field] {
        var finder = FieldFinder(bytes: bytes)
        switch true {
        case finder.has("ftyp", at: 4): finder.addBoxes(0..<bytes.count)
        case finder.has("RIFF", at: 0): finder.addChunks(isBigEndian: false)
        case finder.has("FORM", at: 0): finder.addChunks(isBigEndian: true)
        case finder.has("OggS", at: 0): finder.addOggPages()
        case finder.has("fLaC", at: 0): finder.addFLACBlocks()
        case finder.number(0, 4) == 0x1a45_dfa3: finder.addElements(0..<bytes.count)
        case finder.has("ID3", at: 0): finder.addID3Frames()
        case bytes.first == 0x47: finder.addTransportPackets()
        default: break
        }
        // Whatever else the file begins and ends with.
        if finder.fields.isEmpty || bytes.first == 0x47 {
            finder.addWords(0..<min(1024, bytes.count))
            finder.addWords(max(0, bytes.count - 256)..<bytes.count)
        }
        return finder.fields
    }

    /// Makes the checksums of Ogg's pages right again (RFC 3533, section 6).
    static func sumOggPages(_ bytes: inout [UInt8]) {
        var place = 0
        while place + 27 <= bytes.count, bytes[place] == 0x4f {
            let count = Int(bytes[place + 26])
            guard place + 27 + count <= bytes.count else { return }
            let end = bytes[place + 27..<place + 27 + count].reduce(place + 27 + count) { $0 + Int($1) }
            guard end <= bytes.count else { return }
            for index in 22..<26 { bytes[place + index] = 0 }
            var sum: UInt32 = 0
            for byte in bytes[place..<end] {
                sum ^= UInt32(byte) << 24
                for _ in 0..<8 { sum = sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04c1_1db7 : sum << 1 }
            }
            for index in 0..<4 { bytes[place + 22 + index] = UInt8(truncatingIfNeeded: sum >> UInt32(8 * index)) }
            place = end
        }
    }
}

private struct FieldFinder {
    let bytes: [UInt8]
    var fields: [Field] = []

    func has(_ text: String, at offset: Int) -> Bool { bytes.dropFirst(offset).starts(with: text.utf8) }

    func number(_ offset: Int, _ count: Int, isBigEndian: Bool = true) -> Int {
        guard offset + count <= bytes.count else { return 0 }
        let part = bytes[offset..<offset + count]
        return isBigEndian ? part.reduce(0) { $0 << 8 | Int($1) } : part.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    /// Numbers of every width in a stretch, of which the beginning tells most.
    mutating func addWords(_ range: Range<Int>, isBigEndian: Bool? = nil) {
        for offset in stride(from: range.lowerBound, to: min(range.upperBound, range.lowerBound + 512), by: 2) {
            for width in [1, 2, 4, 8] where offset + width <= range.upperBound {
                if isBigEndian != false { fields.append(Field(offset: offset, width: width)) }
                if isBigEndian != true { fields.append(Field(offset: offset, width: width, isBigEndian: false)) }
            }
        }
    }

    /// MP4: size and name, then the contents, which may be boxes.
    mutating func addBoxes(_ range: Range<Int>) {
        let containers = [
            "moov", "trak", "mdia", "minf", "stbl", "edts", "udta", "moof", "traf", "mvex", "ilst", "----",
        ]
        var place = range.lowerBound
        while place + 8 <= range.upperBound {
            let size = number(place, 4)
            guard size >= 8, place + size <= range.upperBound else { return }
            fields.append(Field(offset: place, width: 4))
            let content = place + 8..<place + size
            if containers.contains(where: { has($0, at: place + 4) }) {
                addBoxes(content)
            } else if has("meta", at: place + 4) {
                addBoxes(content.dropFirst(4))
            } else if has("mdat", at: place + 4) {
                addWords(content.prefix(16))
            } else {
                addWords(content.prefix(128), isBigEndian: true)
            }
            place += size
        }
    }

    /// RIFF and AIFF: a name and a size, then the contents.
    mutating func addChunks(isBigEndian: Bool) {
        fields.append(Field(offset: 4, width: 4, isBigEndian: isBigEndian))
        var place = 12
        while place + 8 <= bytes.count {
            let size = number(place + 4, 4, isBigEndian: isBigEndian)
            fields.append(Field(offset: place + 4, width: 4, isBigEndian: isBigEndian))
            let end = min(place + 8 + size, bytes.count)
            addWords((place + 8..<end).prefix(64), isBigEndian: isBigEndian)
            place += 8 + size + size % 2
        }
    }

    /// Ogg: granule, serial and sequence numbers of pages, and the codec's headers in the first ones.
    mutating func addOggPages() {
        var (place, pages) = (0, 0)
        while place + 27 <= bytes.count, has("OggS", at: place) {
            let count = Int(bytes[place + 26])
            guard place + 27 + count <= bytes.count else { return }
            let end = bytes[place + 27..<place + 27 + count].reduce(place + 27 + count) { $0 + Int($1) }
            fields.append(Field(offset: place + 6, width: 8, isBigEndian: false))
            fields.append(Field(offset: place + 14, width: 4, isBigEndian: false))
            fields.append(Field(offset: place + 18, width: 4, isBigEndian: false))
            fields.append(Field(offset: place + 5, width: 1))
            if pages < 3 { addWords((place + 27 + count..<min(end, bytes.count)).prefix(128), isBigEndian: false) }
            pages += 1
            place = end
        }
    }

    /// FLAC: blocks with their sizes, and the first frame.
    mutating func addFLACBlocks() {
        var place = 4
        while place + 4 <= bytes.count {
            let size = number(place + 1, 3)
            fields.append(Field(offset: place, width: 1))
            fields.append(Field(offset: place + 1, width: 3))
            let end = min(place + 4 + size, bytes.count)
            addWords((place + 4..<end).prefix(128))
            if bytes[place] & 0x80 != 0 { return addWords((end..<bytes.count).prefix(16)) }
            place = end
        }
    }

    /// Matroska: elements with variable sizes, whose contents are numbers, or elements again.
    mutating func addElements(_ range: Range<Int>, depth: Int = 0) {
        let containers = [
            0x1a45_dfa3, 0x1853_8067, 0x114d_9b74, 0x4dbb, 0x1549_a966, 0x1654_ae6b, 0xae, 0xe1, 0x1c53_bb6b, 0xbb,
            0xb7,
            0x1043_a770, 0x45b9, 0xb6, 0x80, 0x1254_c367, 0x7373, 0x67c8, 0x1f43_b675, 0xa0,
        ]
        var place = range.lowerBound
        while place < range.upperBound, let (id, name) = variable(place, keepsMark: true),
            let (size, length) = variable(place + name, keepsMark: false), depth < 8
        {
            let start = place + name + length
            let end = min(size > bytes.count ? range.upperBound : start + size, range.upperBound)
            guard start <= end else { return }
            fields.append(Field(offset: place + name, width: length, isVariable: true))
            if containers.contains(id) {
                addElements(start..<end, depth: depth + 1)
            } else if size <= 8, size > 0 {
                fields.append(Field(offset: start, width: size))
            } else {
                addWords((start..<end).prefix(16))
            }
            place = end
        }
    }

    private func variable(_ place: Int, keepsMark: Bool) -> (value: Int, length: Int)? {
        guard place < bytes.count, bytes[place] != 0 else { return nil }
        let length = bytes[place].leadingZeroBitCount + 1
        guard place + length <= bytes.count else { return nil }
        let mark = keepsMark ? 0 : 1 << (7 * length)
        return (number(place, min(length, 7)) & ~mark, length)
    }

    /// MP3: frames of ID3v2, then the first frames of sound with the encoder's words.
    mutating func addID3Frames() {
        addWords((0..<bytes.count).prefix(256), isBigEndian: true)
        let size = bytes[6...9].reduce(0) { $0 << 7 | Int($1 & 0x7f) }
        addWords((min(10 + size, bytes.count)..<bytes.count).prefix(256), isBigEndian: true)
    }

    /// MPEG-TS: the beginnings of packets, where times are.
    mutating func addTransportPackets() {
        for packet in stride(from: 0, to: min(bytes.count, 64 * 188), by: 188) {
            addWords((packet..<bytes.count).prefix(32), isBigEndian: true)
        }
    }
}
