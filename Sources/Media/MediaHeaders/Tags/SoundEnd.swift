/// Finds where the sound of a file ends that has tags or padding behind it, in any order.
///
/// `TailTags` is what identities of songs go by, and knows the tags that have their place there; an ID3v2 tag does not,
/// but occurs, and some programs fill files up with zeros.
struct SoundEnd {
    /// In bytes from the file's start.
    private(set) var offset: Int

    /// Tags and paddings behind one another; valid files have fewer.
    private static let mostInARow = 8
    /// The longest padding in bytes; a file that ends in more zeros was not written to its end.
    private static let longestPadding = 4 * 1_048_576

    /// - Parameters:
    ///   - start: Of the sound; it ends behind it.
    ///   - reach: Bytes before the end in which an ID3v2 tag is looked for, unless it says at its end where it starts.
    ///   - longestZeros: Zeros that a frame may end with, where more are padding; `nil` where any number may be sound.
    ///   - isWhole: Whether a frame of the sound ends at an offset; called with few bytes before it loaded.
    init(
        after start: Int,
        _ window: inout ByteWindow,
        tags: TailTags,
        reach: Int,
        longestZeros: Int? = nil,
        isWhole: (_ end: Int, _ window: inout ByteWindow) -> Bool = { _, _ in false }
    ) {
        offset = max(start, tags.audioEnd)
        for _ in 0..<Self.mostInARow {
            guard offset > start, !isWhole(offset, &window) else { return }
            let end = TailTags(&window, endingAt: offset).audioEnd
            let next =
                end < offset ? end : Self.startOfID3v2(before: offset, after: max(start, offset - reach), &window)
            guard let next = next ?? Self.startOfPadding(before: offset, longestZeros, &window) else { return }
            offset = max(start, next)
        }
    }

    /// The start of an ID3v2 tag that ends at an offset, or is followed by zeros up to there.
    private static func startOfID3v2(before end: Int, after first: Int, _ window: inout ByteWindow) -> Int? {
        // With a footer (ID3v2.4, section 3.4).
        if window.has("3DI", at: end - ID3v2Header.size), let size = window.synchsafe(end - 4) {
            let place = end - size - 2 * ID3v2Header.size
            if place >= 0, window.has("ID3", at: place) { return place }
        }
        guard window.load(first, end - first) else { return nil }
        let bytes = Array(window[first..<end])
        let lastEnd = (bytes.lastIndex { $0 != 0 } ?? -1) + 1
        var place = 0
        while place + ID3v2Header.size <= bytes.count {
            guard let found = bytes[place...].firstIndex(of: 0x49) else { return nil }
            place = found + 1
            guard let header = ID3v2Header(bytes[found...], at: found) else { continue }
            if (lastEnd...bytes.count).contains(header.end) { return first + found }
        }
        return nil
    }

    /// Where the sound, or a tag, may end before zeros that reach to an offset; `nil` if there are none, or too many.
    private static func startOfPadding(before end: Int, _ longestZeros: Int?, _ window: inout ByteWindow) -> Int? {
        var place = end
        while place > 0, end - place <= longestPadding {
            let first = max(0, place - 65_536)
            guard window.load(first, place - first) else { return nil }
            let bytes = window[first..<place]
            guard let last = bytes.lastIndex(where: { $0 != 0 }) else {
                place = first
                continue
            }
            place = first + (last - bytes.startIndex) + 1
            // Tags of a fixed length may end with zeros.
            if let tag = endOfTag(around: place, before: end, &window) { return tag < end ? tag : nil }
            return longestZeros.flatMap { place + $0 < end ? place + $0 : nil }
        }
        return nil
    }

    /// The end of an ID3v1 tag or of an APE tag's last 32 bytes, which a byte is among.
    private static func endOfTag(around place: Int, before end: Int, _ window: inout ByteWindow) -> Int? {
        for start in max(0, place - 128)..<place {
            if window.has("APETAGEX", at: start), (place...end).contains(start + 32) { return start + 32 }
            if window.has("TAG", at: start), !window.has("APE", at: start - 3), (place...end).contains(start + 128) {
                return start + 128
            }
        }
        return nil
    }
}
