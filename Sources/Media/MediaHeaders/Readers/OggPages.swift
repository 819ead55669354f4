/// The packets of one logical stream of an Ogg file, page by page (RFC 3533).
struct OggPages {
    /// The stream's number.
    private(set) var serial: Int
    /// Where the page that is read begins.
    private(set) var page: Page
    /// The place in the page's table of lengths.
    private var segment = 0
    private var offset: Int

    struct Page {
        var start: Int
        var serial: Int
        /// The stream's position at the page's end; `nil` when no packet ends on it.
        var granule: Int?
        var flags: UInt8
        var segments: Int
        var body: Range<Int>

        var isFirst: Bool { flags & 2 != 0 }
        var isLast: Bool { flags & 4 != 0 }
        var isContinued: Bool { flags & 1 != 0 }

        /// `nil` when none begins there, or it ends behind the file.
        init?(at start: Int, _ window: inout ByteWindow) {
            guard window.has("OggS", at: start), window.load(start, 27), window[start + 4] == 0 else { return nil }
            segments = Int(window[start + 26])
            guard window.load(start, 27 + segments) else { return nil }
            var count = 0
            for place in start + 27..<start + 27 + segments { count += Int(window[place]) }
            body = start + 27 + segments..<start + 27 + segments + count
            guard body.upperBound <= window.size else { return nil }
            self.start = start
            flags = window[start + 5]
            guard let serial = window.littleEndian(start + 14, 4) else { return nil }
            self.serial = serial
            // −1 says that no packet ends here; no other position below zero means anything.
            granule = window.littleEndian(start + 6, 8)
        }
    }

    init?(at start: Int, _ window: inout ByteWindow) {
        guard let page = Page(at: start, &window) else { return nil }
        self.page = page
        serial = page.serial
        offset = page.body.lowerBound
    }

    /// The next piece of the packet that the pages stand in; `nil` when it has ended, which moves on to the next packet.
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
        guard window.load(page.start, 27 + page.segments) else {
            isBroken = true
            return nil
        }
        let start = offset
        while segment < page.segments {
            let length = Int(window[page.start + 27 + segment])
            segment += 1
            offset += length
            if length < 255 {
                hasEnded = true
                break
            }
        }
        return start..<offset
    }

    /// Whether the packet whose piece was given last ends with it.
    private var hasEnded = false
    /// Whether the pages broke off.
    private(set) var isBroken = false

    /// The stream's next page; pages of other streams are passed.
    private func nextPage(_ window: inout ByteWindow) -> Page? {
        var place = page.body.upperBound
        while let next = Page(at: place, &window) {
            if next.serial == serial { return next }
            place = next.body.upperBound
        }
        return nil
    }

    /// Whether the next packet begins a page.
    var isAtPageEnd: Bool { segment == page.segments }

    /// The first byte of the packet that the pages stand before, when it begins on this page or the next one.
    func peek(_ window: inout ByteWindow) -> UInt8? {
        let place = segment < page.segments ? offset : nextPage(&window)?.body.lowerBound
        guard let place, window.load(place, 1) else { return nil }
        return window[place]
    }

    /// Moves to the page behind the one that is read.
    mutating func turn(_ window: inout ByteWindow) -> Bool {
        guard let next = nextPage(&window) else { return false }
        page = next
        segment = 0
        offset = next.body.lowerBound
        hasEnded = false
        return true
    }
}
