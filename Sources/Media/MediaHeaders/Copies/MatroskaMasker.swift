/// Hides what Matroska and WebM files have beside pictures, sound and subtitles (RFC 9559; EBML: RFC 8794).
///
/// Of tags, attachments, chapters and names nothing stays, and of the segment's information only its duration.
struct MatroskaMasker: ~Copyable {
    private var mask = ByteMask()

    private struct Element {
        let id: Int
        let start: Int
        let content: Range<Int>
        /// Of a live stream, whose sizes were not known when it was written, some are not.
        let hasSize: Bool
    }

    private enum ID {
        static let segment = 0x1853_8067
        static let seekHead = 0x114d_9b74
        static let info = 0x1549_a966
        static let timestampScale = 0x2ad7b1
        static let duration = 0x4489
        static let muxer = 0x4d80
        static let writer = 0x5741
        static let tracks = 0x1654_ae6b
        static let track = 0xae
        static let trackName = 0x536e
        static let cluster = 0x1f43_b675
        static let cues = 0x1c53_bb6b
        static let checksum = 0xbf
        static let void = 0xec
        static let documentType = 0x4282
        /// Those within a cluster: timestamp, position, size, blocks and groups of them, and the general ones.
        static let ofClusters: Set = [0xe7, 0x5854, 0xa7, 0xab, 0xa3, 0xa0, 0xaf, checksum, void]
    }

    /// The first bytes of a file.
    static let magic = 0x1a45_dfa3

    static func isWebM(_ window: inout ByteWindow) -> Bool {
        guard let head = element(at: 0, in: 0..<window.size, &window) else { return false }
        var place = head.content.lowerBound
        while let item = element(at: place, in: head.content, &window) {
            if item.id == ID.documentType { return window.has("webm", at: item.content.lowerBound) }
            place = item.content.upperBound
        }
        return false
    }

    static func mask(_ window: inout ByteWindow) throws(MediaCopyError) -> ByteMask {
        var masker = MatroskaMasker()
        try masker.readFile(&window)
        masker.mask.sort()
        return masker.mask
    }

    private init() {}

    private mutating func readFile(_ window: inout ByteWindow) throws(MediaCopyError) {
        let all = 0..<window.size
        guard let head = Self.element(at: 0, in: all, &window), head.hasSize,
            let segment = Self.element(at: head.content.upperBound, in: all, &window), segment.id == ID.segment
        else { throw .isDamaged }
        var (place, hasTracks) = (segment.content.lowerBound, false)
        while let part = Self.element(at: place, in: segment.content, &window) {
            place = part.content.upperBound
            switch part.id {
            case ID.cluster where !part.hasSize: place = Self.endOfCluster(part, &window)
            case ID.cluster, ID.seekHead, ID.cues: break
            case ID.info where part.hasSize: readInfo(part, &window)
            case ID.tracks where part.hasSize && !hasTracks:
                readTracks(part, &window)
                hasTracks = true
            default:
                guard part.hasSize else { throw .isDamaged }
                hide(part)
            }
        }
        guard hasTracks else { throw .isDamaged }
        mask.hide(place..<window.size)
    }

    private mutating func readInfo(_ info: Element, _ window: inout ByteWindow) {
        for item in elements(in: info, &window) {
            switch item.id {
            case ID.timestampScale, ID.duration: break
            // Must be there; zeros are an empty text.
            case ID.muxer, ID.writer: mask.hide(item.content)
            default: hide(item)
            }
        }
    }

    private mutating func readTracks(_ tracks: Element, _ window: inout ByteWindow) {
        for track in elements(in: tracks, &window) {
            guard track.id == ID.track else {
                hide(track)
                continue
            }
            for item in elements(in: track, &window) where item.id == ID.trackName || item.id == ID.checksum {
                hide(item)
            }
        }
    }

    // MARK: Elements

    /// The elements in another one; the remains behind them are hidden.
    private mutating func elements(in parent: Element, _ window: inout ByteWindow) -> [Element] {
        var (found, place): ([Element], Int) = ([], parent.content.lowerBound)
        while let item = Self.element(at: place, in: parent.content, &window), item.hasSize {
            found.append(item)
            place = item.content.upperBound
        }
        mask.hide(place..<parent.content.upperBound)
        return found
    }

    /// Makes an element one of nothing (RFC 8794, section 11.3.2).
    private mutating func hide(_ element: Element) {
        let whole = element.start..<element.content.upperBound
        // Its size in one byte, or in eight.
        let short = whole.count - 2
        let size =
            short < 0x7f
            ? [UInt8(0x80 | short)]
            : [0x01] + stride(from: 48, through: 0, by: -8).map { UInt8(truncatingIfNeeded: (whole.count - 9) >> $0) }
        mask.hide(whole, behind: [UInt8(ID.void)] + size)
    }

    /// - Returns: `nil` where there is none, or it does not fit.
    private static func element(at place: Int, in parent: Range<Int>, _ window: inout ByteWindow) -> Element? {
        guard place < parent.upperBound, window.load(place, 1) else { return nil }
        let idLength = window[place].leadingZeroBitCount + 1
        guard idLength <= 4, let id = window.bigEndian(place, idLength), window.load(place + idLength, 1) else {
            return nil
        }
        let sizeLength = window[place + idLength].leadingZeroBitCount + 1
        guard sizeLength <= 8, let written = window.bigEndian(place + idLength, sizeLength) else { return nil }
        let content = place + idLength + sizeLength
        let marker = 1 << (7 * sizeLength)
        let size = written - marker
        guard content <= parent.upperBound else { return nil }
        if size == marker - 1 {
            return Element(id: id, start: place, content: content..<parent.upperBound, hasSize: false)
        }
        if size <= parent.upperBound - content {
            return Element(id: id, start: place, content: content..<content + size, hasSize: true)
        }
        // The end of a file that is cut off.
        guard id == ID.cluster || id == ID.segment else { return nil }
        return Element(id: id, start: place, content: content..<parent.upperBound, hasSize: true)
    }

    /// The end of a cluster whose size is not known: before the first element that does not belong to one.
    private static func endOfCluster(_ cluster: Element, _ window: inout ByteWindow) -> Int {
        var place = cluster.content.lowerBound
        while let item = element(at: place, in: cluster.content, &window), item.hasSize, ID.ofClusters.contains(item.id)
        {
            place = item.content.upperBound
        }
        return place
    }
}
