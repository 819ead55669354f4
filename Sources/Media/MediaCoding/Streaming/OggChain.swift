internal import MediaHeaders

/// Finds where one Ogg stream ends and the next one begins (RFC 3533, section 4: chaining).
///
/// Radio stations start a stream with every title. libavformat does not read the comments of a second Opus stream, nor
/// changed parameters. A pure value.
struct OggChain: Hashable {
    /// Bytes missing from the current page's body.
    private var body = 0
    /// Whether a page that does not start a stream was seen.
    private var isInside = false
    /// Whether the data is not Ogg; then there are no chained streams.
    private var isForeign = false

    /// Consumes bytes.
    ///
    /// - Parameter bytes: The bytes not consumed last time, and more.
    /// - Returns: How many bytes belong to the current stream, and whether another one starts after them. Other bytes
    ///   that are not consumed are the start of a header.
    mutating func consume(_ bytes: UnsafeRawBufferPointer) -> (count: Int, isLink: Bool) {
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
            let head = unsafe Array(rest.prefix(OggPageHeader.largestSize))
            guard let page = OggPageHeader(head[...]) else {
                let mayBecomeOne = head.prefix(4).elementsEqual("OggS".utf8.prefix(head.count))
                if mayBecomeOne, head.count < OggPageHeader.largestSize { return (place, false) }
                isForeign = true
                continue
            }
            if page.isFirst, isInside {
                isInside = false
                return (place, true)
            }
            isInside = isInside || !page.isFirst
            body = page.bodySize
            place += page.size
        }
        return (place, false)
    }
}
