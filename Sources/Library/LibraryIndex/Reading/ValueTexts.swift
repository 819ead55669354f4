internal import GRDB
private import Glibc
internal import Songs

/// The folded values of tags in one buffer, for linear search.
///
/// When many values contain a text, scanning all values in memory costs a small fraction of looking them up one by one.
/// Hexadecimal identifiers are left out.
struct ValueTexts: Sendable {
    private let bytes: [UInt8]
    /// The end of each value in the buffer, and its number.
    private let ends: [UInt32]
    private let numbers: [UInt32]
    /// The range of the values of each tag.
    private let kinds: [TagType: Range<Int>]

    /// The byte between two values.
    private static let separator: UInt8 = 0

    init(_ db: Database) throws {
        var (bytes, ends, numbers): ([UInt8], [UInt32], [UInt32]) = ([], [], [])
        var kinds: [TagType: Range<Int>] = [:]
        // Reads only an index.
        try Query(db, "SELECT tag, folded, id FROM value ORDER BY tag, folded").each { row in
            guard let tag = TagType(rawValue: UInt8(truncatingIfNeeded: row.int(0))) else { return }
            unsafe row.withBytes(1) { text in
                if tag.isIdentifier, unsafe !hasTrigrams(tag, folded: String(decoding: text, as: UTF8.self)) { return }
                kinds[tag] = (kinds[tag]?.lowerBound ?? ends.count)..<ends.count + 1
                unsafe bytes.append(contentsOf: text)
                ends.append(UInt32(truncatingIfNeeded: bytes.count))
                bytes.append(Self.separator)
                numbers.append(UInt32(truncatingIfNeeded: row.int(2)))
            }
        }
        (self.bytes, self.ends, self.numbers, self.kinds) = (bytes, ends, numbers, kinds)
    }

    /// The values that contain a text.
    ///
    /// - Parameter tag: `nil` for all tags.
    /// - Returns: `nil` when a value that was left out could contain it, too.
    func numbers(of tag: TagType?, having text: String) -> [Int]? {
        let wanted = Array(text.utf8)
        guard let first = wanted.first, !wanted.contains(Self.separator) else { return nil }
        if tag?.isIdentifier != false, isHexadecimal(text) { return nil }
        let places = tag.map { kinds[$0] ?? 0..<0 } ?? ends.indices
        guard !places.isEmpty else { return [] }
        var found: [Int] = []
        var value = places.lowerBound
        unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var place = value == 0 ? 0 : Int(ends[value - 1]) + 1
            let end = Int(ends[places.upperBound - 1])
            while place < end, let next = unsafe memchr(base + place, Int32(first), end - place) {
                place = unsafe UnsafeRawPointer(next) - base
                guard end - place >= wanted.count else { return }
                guard unsafe memcmp(base + place, wanted, wanted.count) == 0 else {
                    place += 1
                    continue
                }
                while Int(ends[value]) <= place { value += 1 }
                found.append(Int(numbers[value]))
                place = Int(ends[value]) + 1
            }
        }
        return found
    }
}
