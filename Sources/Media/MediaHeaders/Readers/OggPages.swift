/// The packets of one logical stream of an Ogg file, page by page (RFC 3533).
struct OggPages {
    /// The stream's number.
    private(set) var serial: UInt32
    /// The current page.
    private(set) var page: Page
    /// The index in the page's table of lengths.
    private var segment = 0
    private var offset: Int

    struct Page {
        /// Bytes of the longest one: 27 + 255 + 255 × 255.
        static let longest = 65_307

        let start: Int
        let body: Range<Int>
        private let header: OggPageHeader

        /// `nil` when none starts there, or it extends beyond the file.
        init?(at start: Int, _ window: inout ByteWindow) {
            guard start >= 0, start < window.size else { return nil }
            let count = min(OggPageHeader.largestSize, window.size - start)
            guard window.load(start, count), let header = OggPageHeader(window[start..<start + count]) else {
                return nil
            }
            body = start + header.size..<start + header.size + header.bodySize
            guard body.upperBound <= window.size else { return nil }
            (self.start, self.header) = (start, header)
        }

        var serial: UInt32 { header.serial }
        var sequence: UInt32 { header.sequence }
        /// The stream's position at the page's end; `nil` when no packet ends on it.
        var granule: Int? { header.granule >= 0 ? Int(header.granule) : nil }
        var segments: Int { header.segments }
        var isFirst: Bool { header.isFirst }
        var isLast: Bool { header.isLast }

        /// Whether the page is as it was written.
        func hasChecksum(_ window: inout ByteWindow) -> Bool {
            guard window.load(start, body.upperBound - start) else { return false }
            return OggChecksum(ofPage: window[start..<body.upperBound]).value == header.checksum
        }

        /// The number of packets that end on it, as its header says.
        func packetCount(_ window: inout ByteWindow) -> Int {
            guard let lengths = lengths(&window) else { return 0 }
            return window[lengths].count { $0 < 255 }
        }

        /// Loads the segment lengths, one byte each; 255 means that the packet continues.
        ///
        /// - Returns: Their range in the window; `nil` when they cannot be read.
        func lengths(_ window: inout ByteWindow) -> Range<Int>? {
            window.load(start, header.size) ? body.lowerBound - segments..<body.lowerBound : nil
        }
    }

    init?(at start: Int, _ window: inout ByteWindow) {
        guard let page = Page(at: start, &window) else { return nil }
        self.page = page
        serial = page.serial
        offset = page.body.lowerBound
    }

    /// The next piece of the current packet; `nil` when it has ended, which moves on to the next packet.
    mutating func nextPart(_ window: inout ByteWindow) -> Range<Int>? {
        if hasEnded {
            hasEnded = false
            return nil
        }
        if segment == page.segments {
            guard let next = nextPage(&window) else {
                isBroken = true
                return nil
            }
            page = next
            segment = 0
            offset = next.body.lowerBound
        }
        guard let lengths = page.lengths(&window) else {
            isBroken = true
            return nil
        }
        let start = offset
        while segment < page.segments {
            let length = Int(window[lengths.lowerBound + segment])
            segment += 1
            offset += length
            if length < 255 {
                hasEnded = true
                break
            }
        }
        return start..<offset
    }

    /// Whether the last piece returned was its packet's last.
    private var hasEnded = false
    /// Whether the pages end too early.
    private(set) var isBroken = false

    /// The stream's next page; pages of other streams are skipped.
    private func nextPage(_ window: inout ByteWindow) -> Page? {
        var place = page.body.upperBound
        while let next = Page(at: place, &window) {
            if next.serial == serial { return next }
            place = next.body.upperBound
        }
        return nil
    }

    /// Whether the next packet starts a page.
    var isAtPageEnd: Bool { segment == page.segments }

    /// The first byte of the next packet, if it starts on this page or the next one.
    func peek(_ window: inout ByteWindow) -> UInt8? {
        let place = segment < page.segments ? offset : nextPage(&window)?.body.lowerBound
        guard let place, window.load(place, 1) else { return nil }
        return window[place]
    }

    /// Moves to the next page.
    mutating func turn(_ window: inout ByteWindow) -> Bool {
        guard let next = nextPage(&window) else { return false }
        page = next
        segment = 0
        offset = next.body.lowerBound
        hasEnded = false
        return true
    }
}
