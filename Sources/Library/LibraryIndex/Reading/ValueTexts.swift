internal import GRDB
private import Glibc
internal import Songs

/// The folded values of tags one behind the other, to be searched from one end to the other.
///
/// Where many values have a text, looking at all of them in memory costs a small part of looking them up one by one.
/// Identifiers of hexadecimal digits are left out.
struct ValueTexts: Sendable {
    private let bytes: [UInt8]
    /// Where each value ends in the bytes, and its number.
    private let ends: [UInt32]
    private let numbers: [UInt32]
    /// The places of the values of each kind of tag.
    private let kinds: [TagType: Range<Int>]

    /// Between two values.
    private static let separator: UInt8 = 0

    init(_ db: Database) throws {
        var (bytes, ends, numbers): ([UInt8], [UInt32], [UInt32]) = ([], [], [])
        var kinds: [TagType: Range<Int>] = [:]
        // Reads an index alone.
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

    /// The values that have a text in them.
    ///
    /// - Parameter tag: Of what kind; `nil` for all.
    /// - Returns: `nil` when a value that is left out could have it, too.
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
