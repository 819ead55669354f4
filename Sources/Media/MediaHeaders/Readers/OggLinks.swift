/// Finds where the streams of an Ogg file begin that follow one another, as in a recording of a radio station (RFC 3533,
/// section 4: chaining).
///
/// Pages of a stream are numbered, and have its number. So in a long file a boundary is found by halving, and pages between
/// two of the same stream are not looked at; up to 4 MiB are read page by page, which finds also streams that have the same
/// number because a file was joined to itself.
package struct OggLinks: ~Copyable {
    /// The offsets of the streams' first pages; one for a file that is no chain.
    package private(set) var starts: [Int] = [0]
    private var window = ByteWindow()

    /// Bytes that are read page by page.
    private static let shortReach = 4 * 1_048_576
    /// More streams than a recording of a month has.
    private static let mostLinks = 20_000
    /// The longest page: 27 + 255 + 255 × 255 bytes.
    private static let longestPage = 65_307

    /// Looks at a file; `nil` when it is not Ogg, or has several streams at the same time.
    package init?(of access: any ByteAccess) {
        window.begin(access, limit: .max / 2)
        guard let first = OggPages.Page(at: 0, &window), first.isFirst,
            let second = OggPages.Page(at: first.body.upperBound, &window), !second.isFirst
        else { return nil }
        guard let last = page(before: window.size, after: first) else { return }
        split(first, last)
    }

    /// Finds the streams that begin behind one page and up to another.
    private mutating func split(_ low: OggPages.Page, _ high: OggPages.Page) {
        guard low.start < high.start, starts.count < Self.mostLinks else { return }
        guard high.start - low.start > Self.shortReach else { return walk(from: low, to: high) }
        if low.serial == high.serial, low.sequence < high.sequence { return }
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
                // Damage; what is still to be found begins with the next page.
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
        let reach = min(window.size, start + Self.longestPage + 4)
        var place = start
        while place < min(end, reach - 4) {
            guard window.load(place, reach - place), let found = window.firstPlace(of: "OggS", in: place..<reach) else {
                return nil
            }
            if found < end, let page = OggPages.Page(at: found, &window), isFollowed(page) { return page }
            place = found + 1
        }
        return nil
    }

    /// Whether another page, or the file's end, comes behind a page, as behind all that are not just four letters.
    private mutating func isFollowed(_ page: OggPages.Page) -> Bool {
        page.body.upperBound == window.size || window.has("OggS", at: page.body.upperBound)
    }

    /// The last whole page that begins before an offset.
    private mutating func page(before end: Int, after first: OggPages.Page) -> OggPages.Page? {
        let start = max(first.body.upperBound, end - 2 * Self.longestPage)
        var end = end
        while end - start > 4, window.load(start, end - start),
            let place = window.lastPlace(of: "OggS", in: start..<end)
        {
            if let page = OggPages.Page(at: place, &window) { return page }
            end = place + 3
        }
        return nil
    }
}
