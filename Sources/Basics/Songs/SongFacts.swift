internal import CivilTime

/// The metadata in a song's lines apart from its tags.
struct SongFacts {
    /// Without the URI, the format and the tags.
    private(set) var fields: Song.Fields
    /// The ranges of the values in the bytes read.
    private(set) var file = 0..<0
    private(set) var format = 0..<0

    init() {
        fields = Song.Fields(uri: "")
        fields.isExamined = true
    }

    /// Reads a line that is not a tag's.
    ///
    /// - Parameters:
    ///   - name: The range from the start of the line to its colon.
    ///   - end: The offset of the line's end, without the line feed.
    mutating func read(_ lines: UnsafeRawBufferPointer, name: Range<Int>, end: Int) {
        let place = name.upperBound + 2
        guard place <= end else { return }
        let value = unsafe lines[place..<end]
        switch unsafe (name.count, lines[name.lowerBound]) {
        case (4, UInt8(ascii: "f")): file = place..<end
        case (5, UInt8(ascii: "R")): fields.range = unsafe Self.range(String(decoding: value, as: UTF8.self))
        case (13, UInt8(ascii: "L")):
            fields.lastModified = unsafe seconds(ofTimestamp: UnsafeRawBufferPointer(rebasing: value))
        case (5, UInt8(ascii: "A")): fields.added = unsafe seconds(ofTimestamp: UnsafeRawBufferPointer(rebasing: value))
        case (6, UInt8(ascii: "F")): format = place..<end
        case (8, UInt8(ascii: "d")): fields.duration = unsafe Self.number(value)
        case (8, UInt8(ascii: "p")): fields.hasSheet = true
        default: break
        }
    }

    /// Parses a number with three decimals.
    private static func number(_ digits: Slice<UnsafeRawBufferPointer>) -> Double? {
        var count = 0
        for place in unsafe digits.indices where unsafe digits[place] != UInt8(ascii: ".") {
            let byte = unsafe digits[place]
            guard (0x30...0x39).contains(byte), count < 1 << 56 else { return nil }
            count = count * 10 + Int(byte - 0x30)
        }
        return Double(count) / 1000
    }

    private static func range(_ text: String) -> Song.Range? {
        let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard let start = Double(parts[0]) else { return nil }
        return Song.Range(checking: start, end: parts.count > 1 ? Double(parts[1]) : nil)
    }
}
