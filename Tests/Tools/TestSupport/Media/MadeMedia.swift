package import MediaHeaders
internal import Songs

/// Media files made byte by byte.
package enum MadeMedia {
    /// Frames of MPEG 1, layer III, 128 kbit/s, 44.1 kHz, joint stereo.
    package static func mp3(frames: Int = 40, seed: UInt8 = 1) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in 0..<frames {
            bytes += [0xff, 0xfb, 0x90, 0x40]
            bytes += (0..<413).map { UInt8(truncatingIfNeeded: ($0 &* 7 &+ number &* 31) & 0x7f) ^ (seed & 0x7f) }
        }
        return bytes
    }

    /// An ID3v2 tag around frames.
    package static func id3(version: UInt8, flags: UInt8 = 0, _ body: [UInt8]) -> [UInt8] {
        Array("ID3".utf8) + [version, 0, flags] + synchsafe(body.count) + body
    }

    package static func frame(_ id: String, _ content: [UInt8], version: UInt8 = 4, flags: [UInt8] = [0, 0]) -> [UInt8]
    {
        switch version {
        case 2: Array(id.utf8) + bigEndian(content.count, 3) + content
        case 3: Array(id.utf8) + bigEndian(content.count, 4) + flags + content
        default: Array(id.utf8) + synchsafe(content.count) + flags + content
        }
    }

    package static func text(_ text: String, encoding: UInt8 = 3) -> [UInt8] {
        switch encoding {
        case 0: [0] + text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        case 1: [1, 0xff, 0xfe] + text.utf16.flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }
        case 2: [2] + text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
        default: [3] + Array(text.utf8)
        }
    }

    package static func synchsafe(_ number: Int) -> [UInt8] { (0..<4).map { UInt8(number >> (21 - 7 * $0) & 0x7f) } }

    package static func bigEndian(_ number: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - 1 - $0))) }
    }

    package static func littleEndian(_ number: Int, _ count: Int = 4) -> [UInt8] { bigEndian(number, count).reversed() }

    /// A FLAC file with comments, whose frames are fewer than it says.
    package static func flac(_ comments: [String], count: Int? = nil, picture: Int? = nil, digest: UInt8 = 7) -> [UInt8]
    {
        var blocks = [self.comments(comments, count: count)]
        if let picture { blocks.append(self.picture(picture)) }
        return flac(blocks, digest: digest)
    }

    package typealias Block = (kind: UInt8, content: [UInt8])

    /// The same with any blocks.
    package static func flac(_ blocks: [Block], digest: UInt8 = 7) -> [UInt8] {
        var info = bigEndian(4096, 2) + bigEndian(4096, 2) + [UInt8](repeating: 0, count: 6)
        // 44,100 Hz, 2 channels, 16 bits, 441,000 samples.
        info += [0x0a, 0xc4, 0x42, 0xf0] + bigEndian(441_000, 4) + [UInt8](repeating: digest, count: 16)
        var bytes = Array("fLaC".utf8)
        let all = [Block(0, info)] + blocks
        for (index, block) in all.enumerated() {
            bytes += [block.kind | (index == all.count - 1 ? 0x80 : 0)] + bigEndian(block.content.count, 3)
            bytes += block.content
        }
        return bytes + (0..<357).flatMap { _ in flacFrame } + [0, 0]
    }

    /// A frame of such a stream: 4,096 samples of silence in two channels.
    private static let flacFrame: [UInt8] = [0xff, 0xf8, 0xc0, 0x10, 0, 0x50, 0, 0, 0, 0, 0, 0, 0x70, 0x70]

    package static func comments(_ comments: [String], count: Int? = nil) -> Block {
        var body = littleEndian(3) + Array("abc".utf8) + littleEndian(count ?? comments.count)
        for comment in comments { body += littleEndian(comment.utf8.count) + Array(comment.utf8) }
        return (4, body)
    }

    package static func padding(_ count: Int) -> Block { (1, [UInt8](repeating: 0, count: count)) }

    package static func picture(_ count: Int) -> Block { (6, [UInt8](repeating: 9, count: count)) }

    /// FLAC's own CUE sheet, of tracks that begin at some samples.
    package static func cueSheet(_ starts: [Int]) -> Block {
        var bytes = [UInt8](repeating: 0, count: 395) + [UInt8(starts.count + 1)]
        for (index, start) in (starts + [441_000]).enumerated() {
            let isEnd = index == starts.count
            bytes += bigEndian(start, 8) + [isEnd ? 170 : UInt8(index + 1)] + [UInt8](repeating: 0, count: 26)
            bytes += [isEnd ? 0 : 1]
            if !isEnd { bytes += bigEndian(0, 8) + [1, 0, 0, 0] }
        }
        return (5, bytes)
    }

    // MARK: - MP4

    package static func box(_ name: String, _ content: [UInt8]) -> [UInt8] {
        bigEndian(content.count + 8, 4) + Array(name.utf8) + content
    }

    /// A value of one of iTunes' items.
    package static func item(_ value: [UInt8]) -> [UInt8] { box("data", bigEndian(1, 4) + bigEndian(0, 4) + value) }

    /// A file of two tracks that nothing is said of, with iTunes' items.
    ///
    /// - Parameter isOfQuickTime: Whether the box around the items has no version.
    package static func mp4(_ items: [UInt8], isOfQuickTime: Bool = false) -> [UInt8] {
        let start = isOfQuickTime ? box("hdlr", [UInt8](repeating: 0, count: 24)) : bigEndian(0, 4)
        let meta = box("meta", start + box("ilst", items))
        let movie = box("trak", [0]) + box("trak", [0]) + box("udta", meta)
        return box("ftyp", Array("M4B \0\0\0\0".utf8)) + box("moov", movie) + box("mdat", [1, 2, 3])
    }

    // MARK: - Pictures

    package static func jpeg(width: Int, height: Int, channels: UInt8 = 1, exif: [UInt8] = []) -> [UInt8] {
        var bytes: [UInt8] = [0xff, 0xd8]
        if !exif.isEmpty {
            bytes += [0xff, 0xe1] + bigEndian(exif.count + 8, 2) + Array("Exif\0\0".utf8) + exif
        }
        bytes += [0xff, 0xe0, 0, 4, 1, 1, 0xff, 0xc0, 0, 11, 8] + bigEndian(height, 2)
        return bytes + bigEndian(width, 2) + [channels, 1, 0x11, 0, 0xff, 0xd9]
    }

    /// A header alone: one HEVC picture, turned by quarters of a circle counter-clockwise, its EXIF, and its XMP.
    ///
    /// - Parameter auxiliary: The type of another picture that belongs to it; `nil` for none.
    package static func heic(
        width: Int,
        height: Int,
        quarters: UInt8,
        exif: [UInt8],
        xmp: [UInt8] = [],
        auxiliary: String? = nil
    ) -> [UInt8] {
        func whole(_ name: String, _ content: [UInt8], version: UInt8 = 0) -> [UInt8] {
            box(name, [version, 0, 0, 0] + content)
        }
        func item(_ number: Int, _ type: String) -> [UInt8] {
            let content = type == "mime" ? Array("application/rdf+xml\0".utf8) : []
            return whole("infe", bigEndian(number, 2) + [0, 0] + Array(type.utf8) + [0] + content, version: 2)
        }
        let data = bigEndian(0, 4) + exif
        let other = auxiliary.map { whole("auxC", Array("\($0)\0".utf8)) } ?? []
        let properties = box(
            "iprp",
            box("ipco", whole("ispe", bigEndian(width, 4) + bigEndian(height, 4)) + box("irot", [quarters]) + other)
                + whole("ipma", bigEndian(1, 4) + [0, 1, 2, 1, 0x82])
        )
        // One part of each item, in the box that follows.
        func part(_ number: UInt8, _ offset: Int, _ length: Int) -> [UInt8] {
            [0, number, 0, 1, 0, 0, 0, 1] + bigEndian(offset, 4) + bigEndian(length, 4)
        }
        let places = whole(
            "iloc",
            [0x44, 0, 0, 2] + part(2, 0, data.count) + part(3, data.count, xmp.count),
            version: 1
        )
        let items = item(1, "hvc1") + item(2, "Exif") + item(3, "mime")
        let meta = whole(
            "meta",
            whole("pitm", bigEndian(1, 2)) + whole("iinf", bigEndian(3, 2) + items)
                + properties + places + box("idat", data + xmp)
        )
        return box("ftyp", Array("heic".utf8) + bigEndian(0, 4) + Array("mif1heic".utf8)) + meta
    }

    package static let png =
        [0x89] + Array("PNG\r\n\u{1a}\n".utf8) + bigEndian(13, 4) + Array("IHDR".utf8)
        + bigEndian(640, 4) + bigEndian(480, 4) + [8, 2, 0, 0, 0, 0, 0, 0, 0]
        + bigEndian(0, 4) + Array("IEND".utf8) + [0, 0, 0, 0]

    package static func read(_ bytes: [UInt8], uri: String = "a.mp3") -> (HeaderReader.Result, ScannedFile) {
        var reader = HeaderReader()
        var file = ScannedFile(uri: uri, size: bytes.count, modified: 0, inode: 0)
        let result = reader.read(bytes, into: &file)
        return (result, file)
    }
}

extension ScannedFile {
    /// The tags as lines, in their order.
    package var lines: [String] { tags.map { "\($0.0.name)=\($0.1)" } }
}
