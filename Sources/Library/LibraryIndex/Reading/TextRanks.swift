internal import GRDB
internal import SongFilters
internal import Songs

/// The texts of values, sorted by bytes; equal texts have the same rank.
struct TextRanks {
    /// Texts by rank.
    private var texts: [ArraySlice<UInt8>] = []
    /// Ranks by value number.
    private var ranks: [UInt32]

    var count: Int { texts.count }

    /// - Parameters:
    ///   - numbers: The numbers of the values; 0 stands for the empty text.
    ///   - tags: The tags of the values, not counting substitutes.
    init(_ db: Database, _ numbers: [UInt32], of tags: [TagType]) throws {
        let largest = Int(numbers.max() ?? 0)
        ranks = [UInt32](repeating: .max, count: largest + 1)
        var wanted = 0
        for number in numbers where ranks[Int(number)] == .max {
            ranks[Int(number)] = 0
            wanted += 1
        }
        var found: [(text: ArraySlice<UInt8>, number: Int)] = []
        found.reserveCapacity(wanted)
        if ranks[0] == 0 { found.append(([], 0)) }
        let kinds = TagMask(tags.flatMap { [$0] + $0.substitutes })
        for tag in TagType.allCases where kinds.contains(tag) {
            // In the order of the index, so that little sorting remains.
            try Self.texts(db, tag, isFew: wanted < 200, ranks) { found.append(($0, $1)) }
        }
        found.sort { $0.text.lexicographicallyPrecedes($1.text) }
        for (text, number) in found {
            if texts.last != text { texts.append(text) }
            ranks[number] = UInt32(texts.count - 1)
        }
    }

    func rank(_ number: UInt32) -> UInt32 { ranks[Int(number)] }

    func text(_ rank: some BinaryInteger) -> ArraySlice<UInt8> { texts[Int(rank)] }

    private static func texts(
        _ db: Database,
        _ tag: TagType,
        isFew: Bool,
        _ wanted: [UInt32],
        _ body: (ArraySlice<UInt8>, Int) -> Void
    ) throws {
        if isFew {
            let query = try Query(db, "SELECT text FROM value WHERE id = ? AND tag = ?")
            query.bind(2, Int(tag.rawValue))
            for number in wanted.indices where number > 0 && wanted[number] == 0 {
                query.bind(1, number)
                if let text = try query.first({ $0.bytes(0) }) { body(text[...], number) }
            }
            return
        }
        // One array contains many texts.
        var chunk: [UInt8] = []
        var pending: [(end: Int, number: Int)] = []
        func flush() {
            var start = 0
            for (end, number) in pending {
                body(chunk[start..<end], number)
                start = end
            }
            chunk = []
            pending.removeAll(keepingCapacity: true)
        }
        try Query(db, "SELECT id, text FROM value WHERE tag = ? ORDER BY text", [.int(Int(tag.rawValue))]).each { row in
            let number = row.int(0)
            guard number < wanted.count, wanted[number] == 0 else { return }
            unsafe row.withBytes(1) { unsafe chunk.append(contentsOf: $0) }
            pending.append((chunk.count, number))
            if chunk.count > 65_536 { flush() }
        }
        flush()
    }
}
