/// Finds where the streams of an Ogg file begin that follow one another, as in a recording of a radio station (RFC 3533,
/// section 4: chaining).
///
/// Pages of a stream are numbered, and have its number. So in a long file a boundary is found by halving, and pages between
/// two of the same stream are not looked at. A file of up to 4 MiB is read page by page, which finds also streams that have
/// the same number because a file was joined to itself; in a longer one such streams are found where its eighths tell.
package struct OggLinks: ~Copyable {
    /// The offsets of the streams' first pages; one for a file that is no chain.
    package private(set) var starts: [Int] = [0]
    private var window = ByteWindow()

    /// Bytes of a file whose pages are all looked at.
    private static let shortFile = 4 * 1_048_576
    /// Bytes between pages of two streams that are read page by page.
    private static let shortReach = 65_536
    /// Parts of a long file whose ends are looked at.
    private static let parts = 8
    /// Bytes that are read of a file; streams that are not found by then are left to the one before.
    private static let budget = 128 * 1_048_576
    /// More streams than a recording of a month has.
    private static let mostLinks = 20_000
    /// Places with the four letters of a page that are tried for one.
    private static let mostTries = 16

    /// Looks at a file; `nil` when it is not Ogg, or has several streams at the same time.
    package init?(of access: any ByteAccess) {
        window.begin(access, limit: Self.budget)
        guard let first = OggPages.Page(at: 0, &window), first.isFirst,
            let second = OggPages.Page(at: first.body.upperBound, &window), !second.isFirst
        else { return nil }
        guard let last = lastPage(after: first) else { return }
        if window.size <= Self.shortFile {
            walk(from: first, to: last)
            return
        }
        var low = first
        for part in 1...Self.parts {
            let place = window.size / Self.parts * part
            guard let high = part == Self.parts ? last : page(from: place, before: last.start) else { continue }
            split(low, high)
            low = high
        }
    }

    /// Finds the streams that begin behind one page and up to another.
    private mutating func split(_ low: OggPages.Page, _ high: OggPages.Page) {
        guard low.start < high.start, starts.count < Self.mostLinks, !window.isExhausted else { return }
        if low.serial == high.serial, low.sequence < high.sequence { return }
        guard high.start - low.start > Self.shortReach else { return walk(from: low, to: high) }
        let middle = low.start + (high.start - low.start) / 2
        guard let page = page(from: middle, before: high.start), page.start > low.start else {
            return walk(from: low, to: high)
        }
        split(low, page)
        split(page, high)
    }

    private mutating func walk(from low: OggPages.Page, to high: OggPages.Page) {
        var place = low.body.upperBound
        while place <= high.start, starts.count < Self.mostLinks {
            guard let page = OggPages.Page(at: place, &window) else {
                // Damage; the next whole page is where it ends.
                guard let next = self.page(from: place + 1, before: high.body.upperBound) else { return }
                place = next.start
                continue
            }
            if page.isFirst { starts.append(place) }
            place = page.body.upperBound
        }
    }

    /// The first page that begins in a range, at most a page's length behind its start.
    private mutating func page(from start: Int, before end: Int) -> OggPages.Page? {
        // Most pages are much shorter than the longest.
        for reach in [8_192, OggPages.Page.longest + 4] {
            let bound = min(window.size, start + reach)
            var place = start
            for _ in 0..<Self.mostTries {
                guard place < min(end, bound), window.load(place, bound - place),
                    let found = window.firstPlace(of: "OggS", in: place..<bound), found < end
                else { break }
                if let page = OggPages.Page(at: found, &window), isFollowed(page) { return page }
                place = found + 1
            }
        }
        return nil
    }

    /// Whether another page, or the file's end, comes behind a page, as behind all that are not just four letters.
    private mutating func isFollowed(_ page: OggPages.Page) -> Bool {
        page.body.upperBound == window.size || window.has("OggS", at: page.body.upperBound)
    }

    /// The last whole page of the file.
    private mutating func lastPage(after first: OggPages.Page) -> OggPages.Page? {
        let start = max(first.body.upperBound, window.size - 2 * OggPages.Page.longest)
        var end = window.size
        for _ in 0..<Self.mostTries {
            guard end - start > 4, window.load(start, end - start),
                let place = window.lastPlace(of: "OggS", in: start..<end)
            else { return nil }
            if let page = OggPages.Page(at: place, &window) { return page }
            end = place + 3
        }
        return nil
    }
}
