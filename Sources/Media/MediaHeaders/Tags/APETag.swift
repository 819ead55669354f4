/// An APE tag, version 2 or 1, at a file's end.
struct APETag {
    /// The start, including the header.
    let start: Int
    private let items: Range<Int>
    private let count: Int

    /// More than any tag has, pictures included, in bytes.
    private static let limit = 32 * 1_048_576
    /// The largest item name in bytes, including its zero.
    private static let longestName = 256

    init?(endingAt end: Int, _ window: inout ByteWindow) {
        guard window.has("APETAGEX", at: end - 32), let size = window.littleEndian(end - 20, 4),
            let count = window.littleEndian(end - 16, 4), let flags = window.littleEndian(end - 12, 4),
            (32...Self.limit).contains(size), size <= end
        else { return nil }
        items = end - size..<end - 32
        self.count = min(count, 65_536)
        // The size does not include the header, which some footers do not tell of.
        let header = items.lowerBound - 32
        let (tellsOfHeader, isHeader) = (flags & 0x8000_0000 != 0, flags & 0x2000_0000 != 0)
        var hasHeader = tellsOfHeader
        if !tellsOfHeader || isHeader { hasHeader = header >= 0 && window.has("APETAGEX", at: header) }
        // A header is the end of no tag, unless a writer gave its flags to the footer, too.
        guard hasHeader || !isHeader else { return nil }
        start = hasHeader ? max(0, header) : items.lowerBound
    }

    struct Item {
        let name: [UInt8]
        /// Whether the value is text, not binary data or a link.
        let isText: Bool
        fileprivate let value: Range<Int>

        /// The texts in the first `limit` bytes, separated by zeros; none when they cannot be read.
        ///
        /// Valid until the window is used again.
        func texts(atMost limit: Int = .max, _ window: inout ByteWindow) -> [ArraySlice<UInt8>] {
            let count = min(value.count, limit)
            guard isText, window.load(value.lowerBound, count) else { return [] }
            return window[value.lowerBound..<value.lowerBound + count].split(separator: 0, maxSplits: 1000)
        }
    }

    /// Calls `show` for each item in order.
    func visit(_ window: inout ByteWindow, _ show: (Item, inout ByteWindow) -> Void) {
        var place = items.lowerBound
        for _ in 0..<count {
            guard place + 8 < items.upperBound, let length = window.littleEndian(place, 4),
                let flags = window.littleEndian(place + 4, 4)
            else { return }
            let reach = place + 8..<place + 8 + min(Self.longestName, items.upperBound - place - 8)
            guard window.load(reach.lowerBound, reach.count) else { return }
            let head = window[reach]
            guard let zero = head.firstIndex(of: 0) else { return }
            let name = Array(head[..<zero])
            let start = reach.lowerBound + name.count + 1
            guard length <= items.upperBound - start else { return }
            place = start + length
            // Bits 1 and 2 distinguish text from binary data and links.
            show(Item(name: name, isText: flags & 6 == 0, value: start..<place), &window)
        }
    }
}
