/// Finds where one Ogg stream ends and the next one begins (RFC 3533, section 4: chaining).
///
/// Radio stations begin a stream with every title. libavformat does not read the comments of a second Opus stream, nor
/// other parameters. A pure value.
struct OggChain: Hashable {
    /// Bytes of a page's body that are still to come.
    private var body = 0
    /// Whether a page has come that does not begin a stream.
    private var isInside = false
    /// Whether what has come is no Ogg; then there are no links to be found.
    private var isForeign = false

    /// Bytes of a page's header before its segment table, and at most with it.
    private static let headerSize = 27

    /// Takes what follows.
    ///
    /// - Parameter bytes: What was not taken the last time, and more.
    /// - Returns: How many bytes belong to the link that has begun, and whether another one begins behind them. What is
    ///   not taken otherwise is the beginning of a header.
    mutating func take(_ bytes: UnsafeRawBufferPointer) -> (count: Int, isLink: Bool) {
        var place = 0
        while place < bytes.count {
            if isForeign { return (bytes.count, false) }
            if body > 0 {
                let count = min(body, bytes.count - place)
                body -= count
                place += count
                continue
            }
            let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[place...])
            guard unsafe Array(rest.prefix(4)) == Array("OggS".utf8.prefix(rest.count)) else {
                isForeign = true
                continue
            }
            guard rest.count >= Self.headerSize else { return (place, false) }
            let segments = unsafe Int(rest[26])
            guard rest.count >= Self.headerSize + segments else { return (place, false) }
            let begins = unsafe rest[5] & 2 != 0
            if begins, isInside {
                isInside = false
                return (place, true)
            }
            isInside = isInside || !begins
            for index in 0..<segments { unsafe body += Int(rest[Self.headerSize + index]) }
            place += Self.headerSize + segments
        }
        return (place, false)
    }
}
