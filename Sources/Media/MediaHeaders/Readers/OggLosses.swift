/// Finds what is missing of an Ogg stream that libavformat reads: it drops pages with a wrong checksum without a word.
///
/// Pages are numbered (RFC 3533, section 6), so where two packets come from pages whose numbers follow one another nothing is
/// missing, and nothing else is read. Bytes are looked at only in gaps, and behind the last page.
package struct OggLosses: ~Copyable {
    /// The stream's part of the file.
    private let range: Range<Int>
    private var window = ByteWindow()
    /// The page of the latest packet.
    private var last: OggPages.Page?
    /// Whether the next packet is the stream's first one.
    private var isAtStart = true

    /// Makes the next packet one from another place.
    ///
    /// - Parameter isAtStart: Whether it is the stream's first one.
    package mutating func restart(isAtStart: Bool) {
        last = nil
        self.isAtStart = isAtStart
    }

    package init(of access: any ByteAccess, in range: Range<Int>) {
        self.range = range.clamped(to: 0..<access.size)
        window.begin(access, limit: .max)
    }

    /// Records a packet.
    ///
    /// - Parameter offset: In the stream's part of the file, of the page where the packet begins.
    /// - Returns: The number of packets that are missing before it, as the headers of damaged pages tell it; 1 if none does.
    package mutating func record(packetAt offset: Int) -> Int {
        let offset = range.lowerBound.adding(saturating: offset)
        guard offset != last?.start, let page = OggPages.Page(at: offset, &window) else { return 0 }
        let before = last
        last = page
        if let before, before.serial == page.serial {
            // Joined pieces of streams may keep their old page numbers, or have none.
            let between = Int(page.sequence) - Int(before.sequence) - 1
            guard page.start > before.start, between > 0 else { return 0 }
            let gap = walk(from: before.body.upperBound, to: offset, of: page.serial)
            return gap.intact < between ? max(1, gap.packets) : 0
        }
        guard before == nil, isAtStart else { return 0 }
        isAtStart = false
        return walk(from: range.lowerBound, to: offset, of: page.serial, isStart: true).packets
    }

    /// Looks behind the last packet, once.
    ///
    /// - Returns: The number of packets that are missing there, and whether the last page is cut off.
    package mutating func end() -> (packets: Int, isCutOff: Bool) {
        guard let page = last.take(), !page.isLast else { return (0, false) }
        let rest = walk(from: page.body.upperBound, to: range.upperBound, of: page.serial)
        return (rest.packets, rest.isCutOff)
    }

    private struct Scan {
        /// Whole pages of the stream that hold parts of packets.
        var intact = 0
        /// Packets of damaged pages; 1 for bytes that are no page.
        var packets = 0
        var isCutOff = false
    }

    /// Looks at the pages in a range.
    ///
    /// - Parameter isStart: Whether the stream's headers are among them, which were read if anything was.
    private mutating func walk(from start: Int, to end: Int, of serial: UInt32, isStart: Bool = false) -> Scan {
        var walk = Scan()
        var place = start
        while place < end {
            guard let page = OggPages.Page(at: place, &window), page.body.upperBound <= end else {
                guard let next = nextPlace(after: place, before: end) else {
                    if end == range.upperBound { recordEnd(at: place, &walk) } else { walk.packets += isStart ? 0 : 1 }
                    break
                }
                walk.packets += isStart ? 0 : 1
                place = next
                continue
            }
            place = page.body.upperBound
            guard page.serial == serial, !isStart || page.granule ?? 0 > 0 else { continue }
            if page.hasChecksum(&window) {
                walk.intact += 1
            } else {
                walk.packets += max(1, page.packetCount(&window))
            }
        }
        return walk
    }

    /// The next place with the four letters of a page, less than a page's length behind `place`; libavformat looks no further.
    private mutating func nextPlace(after place: Int, before end: Int) -> Int? {
        let bound = min(end, place + OggPages.Page.longest)
        guard place + 1 < bound, window.load(place + 1, bound - place - 1) else { return nil }
        return window.firstPlace(of: "OggS", in: place + 1..<bound)
    }

    /// Judges the bytes at the end that are no whole page: the start of one, tags, zeros, or a damaged one.
    private mutating func recordEnd(at place: Int, _ walk: inout Scan) {
        let count = min(4, range.upperBound - place)
        guard window.load(place, count) else { return }
        let bytes = window[place..<place + count]
        if bytes.elementsEqual("OggS".utf8.prefix(count)) {
            walk.isCutOff = true
        } else if !bytes.allSatisfy({ $0 == 0 }), !Self.tags.contains(where: { bytes.starts(with: $0.utf8) }) {
            walk.packets += 1
        }
    }

    /// The beginnings of tags that other formats have at their ends.
    private static let tags = ["TAG", "ID3", "APET", "LYRI"]
}
