/// The bytes of a comment header in order, contiguous in the file or between Ogg's page headers.
struct CommentStream {
    private var place: Int
    private var left: Int
    private var pages: OggPages?

    /// A contiguous range of a file.
    init(_ range: Range<Int>) {
        place = range.lowerBound
        left = range.count
    }

    /// The packet that starts at the pages' position.
    init(packetOf pages: OggPages) {
        place = 0
        left = 0
        self.pages = pages
    }

    /// The next bytes; `nil` when there are too few.
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

    /// Skips bytes without reading them.
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

    /// Moves to the packet's next part.
    private mutating func advance(_ window: inout ByteWindow) -> Bool {
        guard let part = pages?.nextPart(&window) else { return false }
        place = part.lowerBound
        left = part.count
        return true
    }

    /// The pages, at the start of the next packet.
    mutating func finish(_ window: inout ByteWindow) -> OggPages? {
        while pages?.nextPart(&window) != nil {}
        return pages
    }
}
