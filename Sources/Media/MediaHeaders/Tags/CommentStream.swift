/// Bytes of a comment header in their order, wherever in the file they lie: in one piece, or between Ogg's page headers.
struct CommentStream {
    private var place: Int
    private var left: Int
    private var pages: OggPages?

    /// One piece of a file.
    init(_ range: Range<Int>) {
        place = range.lowerBound
        left = range.count
    }

    /// The packet that begins where the pages stand.
    init(packetOf pages: OggPages) {
        place = 0
        left = 0
        self.pages = pages
    }

    /// The next bytes; `nil` when there are not so many.
    ///
    /// Valid until the window is used again.
    mutating func take(_ count: Int, _ window: inout ByteWindow) -> ArraySlice<UInt8>? {
        if left == 0, count > 0 { guard advance(&window) else { return nil } }
        if count <= left {
            guard window.load(place, count) else { return nil }
            defer {
                place += count
                left -= count
            }
            return window[place..<place + count]
        }
        var bytes: [UInt8] = []
        while bytes.count < count {
            if left == 0 { guard advance(&window) else { return nil } }
            let part = min(left, count - bytes.count)
            guard window.load(place, part) else { return nil }
            bytes += window[place..<place + part]
            place += part
            left -= part
        }
        return bytes[...]
    }

    /// Passes bytes without reading them.
    mutating func skip(_ count: Int, _ window: inout ByteWindow) -> Bool {
        var count = count
        while count > 0 {
            if left == 0 { guard advance(&window) else { return false } }
            let part = min(left, count)
            place += part
            left -= part
            count -= part
        }
        return true
    }

    mutating func number(_ window: inout ByteWindow) -> Int? {
        guard let bytes = take(4, &window) else { return nil }
        var value = 0
        for byte in bytes.reversed() { value = value << 8 | Int(byte) }
        return value
    }

    /// Goes on to the packet's next part.
    private mutating func advance(_ window: inout ByteWindow) -> Bool {
        guard let part = pages?.nextPart(&window) else { return false }
        place = part.lowerBound
        left = part.count
        return true
    }

    /// The pages, at the beginning of the packet behind this one.
    mutating func finish(_ window: inout ByteWindow) -> OggPages? {
        while pages?.nextPart(&window) != nil {}
        return pages
    }
}
