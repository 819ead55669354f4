internal import PictureValues

/// Hides what the files of JPEG, PNG, WebP and GIF pictures have beside the pictures themselves: EXIF but for the orientation,
/// XMP, texts, previews, and what lies behind the picture.
///
/// The parts that are shown stay, by lists of them; all else is hidden, known or not.
struct PictureMasker: ~Copyable {
    private var mask = ByteMask()

    /// More parts than are to be hidden in a valid file.
    private static let mostParts = 4_096

    static func mask(_ kind: PictureKind, _ window: inout ByteWindow) throws(MediaCopyError) -> ByteMask {
        var masker = PictureMasker()
        switch kind {
        case .jpeg: try masker.readJPEG(&window)
        case .png: try masker.readPNG(&window)
        case .webP: try masker.readWebP(&window)
        case .gif: try masker.readGIF(&window)
        case .heif: return try HEIFMasker.mask(&window)
        case .bmp, .tiff, .jpegXL, .svg, .other: throw .unknownFormat
        }
        masker.mask.sort()
        return masker.mask
    }

    private init() {}

    private mutating func hide(_ range: Range<Int>, behind head: [UInt8] = []) throws(MediaCopyError) {
        guard mask.count < Self.mostParts else { throw .isTooLong }
        mask.hide(range, behind: head)
    }

    // MARK: EXIF

    /// EXIF that has nothing but the orientation, if one is stored and is not the usual one (TIFF 6.0).
    private static func orientation(in exif: Range<Int>, _ window: inout ByteWindow) -> [UInt8] {
        guard let orientation = EXIF(exif, &window).orientation, orientation != .up else { return [] }
        let field: [UInt8] = [0x01, 0x12, 0, 3, 0, 0, 0, 1, 0, UInt8(orientation.rawValue), 0, 0]
        let head = Array("MM\0*".utf8) + [0, 0, 0, 8, 0, 1] + field + [0, 0, 0, 0]
        return head.count <= exif.count ? head : []
    }

    // MARK: JPEG

    /// JPEG (ITU-T T.81, annex B).
    private mutating func readJPEG(_ window: inout ByteWindow) throws(MediaCopyError) {
        var place = 2
        while true {
            guard window.load(place, 2), window[place] == 0xff else { throw .isDamaged }
            let marker = window[place + 1]
            switch marker {
            // Fill bytes.
            case 0xff: place += 1
            case 0xd9: return try hide(place + 2..<window.size)
            case 0x00, 0x01, 0xd0...0xd8: throw .isDamaged
            default:
                guard let length = window.bigEndian(place + 2, 2), length >= 2, length <= window.size - place - 2 else {
                    throw .isDamaged
                }
                let content = place + 4..<place + 2 + length
                try readSegment(marker, content, &window)
                place = marker == 0xda ? try Self.endOfScan(content.upperBound, &window) : content.upperBound
            }
        }
    }

    private mutating func readSegment(
        _ marker: UInt8,
        _ content: Range<Int>,
        _ window: inout ByteWindow
    ) throws(MediaCopyError) {
        let start = content.lowerBound
        switch marker {
        // Frames, tables, scans, and the intervals in them.
        case 0xc0...0xcf, 0xda...0xdd: break
        // Behind the density may be a preview.
        case 0xe0 where content.count >= 14 && window.has("JFIF\0", at: start):
            try hide(start + 14..<content.upperBound)
        case 0xe1 where content.count > 6 && window.has("Exif\0\0", at: start):
            let exif = Self.orientation(in: content.dropFirst(6), &window)
            try hide(exif.isEmpty ? content : content.dropFirst(6), behind: exif)
        case 0xe2 where content.count > 12 && window.has("ICC_PROFILE\0", at: start): break
        // How the colours are coded.
        case 0xee where content.count >= 12 && window.has("Adobe", at: start):
            try hide(start + 12..<content.upperBound)
        default: try hide(content)
        }
    }

    /// The next marker that is not within a scan.
    private static func endOfScan(_ start: Int, _ window: inout ByteWindow) throws(MediaCopyError) -> Int {
        var place = start
        while place < window.size {
            let count = min(65_536, window.size - place)
            guard window.load(place, count) else { throw .isDamaged }
            guard let found = window.firstPlace(of: 0xff, in: place..<place + count) else {
                place += count
                continue
            }
            guard window.load(found, 2) else { throw .isDamaged }
            switch window[found + 1] {
            case 0x00, 0xd0...0xd7: place = found + 2
            case 0xff: place = found + 1
            default: return found
            }
        }
        throw .isDamaged
    }

    // MARK: PNG

    /// The chunks that are shown (W3C's PNG, third edition).
    private static let chunks: Set<Int> = [
        fourCC("IHDR"), fourCC("PLTE"), fourCC("IDAT"), fourCC("IEND"), fourCC("tRNS"), fourCC("gAMA"), fourCC("cHRM"),
        fourCC("sRGB"), fourCC("iCCP"), fourCC("cICP"), fourCC("mDCV"), fourCC("cLLI"), fourCC("sBIT"), fourCC("bKGD"),
        fourCC("pHYs"), fourCC("acTL"), fourCC("fcTL"), fourCC("fdAT"),
    ]
    /// A chunk that programs pass over, as none of them knows it.
    private static let unknownChunk = Array("zeRo".utf8)

    private mutating func readPNG(_ window: inout ByteWindow) throws(MediaCopyError) {
        var place = 8
        while true {
            guard let length = window.bigEndian(place, 4), window.load(place + 4, 4),
                length <= window.size - place - 12, let name = window.bigEndian(place + 4, 4)
            else { throw .isDamaged }
            let content = place + 8..<place + 8 + length
            place = content.upperBound + 4
            if !Self.chunks.contains(name) {
                // A program must know it, or refuse the file.
                guard name & 0x2000_0000 != 0 else { throw .unknownFormat }
                let exif = name == fourCC("eXIf") ? Self.orientation(in: content, &window) : []
                let type = exif.isEmpty ? Self.unknownChunk : Array("eXIf".utf8)
                try hide(content.lowerBound - 4..<content.lowerBound, behind: type)
                try hide(content, behind: exif)
                let sum = PNGChecksum.of(type + exif, zeros: length - exif.count)
                try hide(content.upperBound..<place, behind: sum)
            }
            if name == fourCC("IEND") { return try hide(place..<window.size) }
        }
    }

    // MARK: WebP

    /// WebP (RFC 9649).
    private mutating func readWebP(_ window: inout ByteWindow) throws(MediaCopyError) {
        guard let length = window.littleEndian(4, 4), length <= window.size - 8 else { throw .isDamaged }
        try readChunks(12..<8 + length, areOfFrame: false, &window)
        try hide(8 + length..<window.size)
    }

    /// - Parameter areOfFrame: Whether they are in a frame, which has none in it.
    private mutating func readChunks(
        _ range: Range<Int>,
        areOfFrame: Bool,
        _ window: inout ByteWindow
    ) throws(MediaCopyError) {
        var place = range.lowerBound
        while place < range.upperBound {
            guard let name = window.bigEndian(place, 4), let length = window.littleEndian(place + 4, 4),
                length <= range.upperBound - place - 8
            else { throw .isDamaged }
            let content = place + 8..<place + 8 + length
            switch name {
            case fourCC("VP8 "), fourCC("VP8L"), fourCC("VP8X"), fourCC("ALPH"), fourCC("ANIM"), fourCC("ICCP"): break
            case fourCC("ANMF") where length >= 16 && !areOfFrame:
                try readChunks(content.dropFirst(16), areOfFrame: true, &window)
            case fourCC("EXIF"):
                let start = window.has("Exif\0\0", at: content.lowerBound) ? min(6, length) : 0
                let exif = content.dropFirst(start)
                try hide(exif, behind: Self.orientation(in: exif, &window))
            default: try hide(content)
            }
            // Lengths that are odd are followed by one byte.
            place = content.upperBound + length % 2
        }
    }

    // MARK: GIF

    /// More bytes than an extension that is replaced has.
    private static let longestExtension = 1 << 20

    /// GIF (GIF89a, sections 15 to 27).
    private mutating func readGIF(_ window: inout ByteWindow) throws(MediaCopyError) {
        guard let flags = window.bigEndian(10, 1) else { throw .isDamaged }
        var place = 13 + GIFBlocks.colourTable(flags)
        while true {
            guard let mark = window.bigEndian(place, 1) else { throw .isDamaged }
            let start = place
            switch mark {
            case 0x2c:
                guard let flags = window.bigEndian(place + 9, 1) else { throw .isDamaged }
                place += 11 + GIFBlocks.colourTable(flags)
            case 0x21: place += 2
            case 0x3b: return try hide(place + 1..<window.size)
            default: throw .isDamaged
            }
            let data = place
            guard let end = GIFBlocks.end(of: place, &window) else { throw .isDamaged }
            place = end
            if mark == 0x21, !Self.stays(start, data, &window) {
                guard end - start <= Self.longestExtension else { throw .isTooLong }
                try hide(start..<end, behind: Self.emptyComment(end - start))
            }
        }
    }

    /// Whether an extension is needed to show the pictures: their times, and how often they are repeated.
    private static func stays(_ start: Int, _ data: Int, _ window: inout ByteWindow) -> Bool {
        switch window.bigEndian(start + 1, 1) {
        case 0xf9: true
        case 0xff: window.has("\u{b}NETSCAPE2.0", at: data) || window.has("\u{b}ANIMEXTS1.0", at: data)
        default: false
        }
    }

    /// A comment of zeros that takes so many bytes.
    private static func emptyComment(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = [0x21, 0xfe]
        while bytes.count < count - 1 {
            // A piece has at least one byte of data behind its length.
            let left = count - 1 - bytes.count
            let length = left == 257 ? 254 : min(255, left - 1)
            bytes += [UInt8(length)] + [UInt8](repeating: 0, count: length)
        }
        return bytes + [0]
    }
}
