internal import SongFilters
internal import Songs

/// Collects the combinations of values that songs have for some kinds of tags, as numbers: 0 where a song has none.
struct TagRows {
    /// How many numbers are in a row.
    let width: Int
    /// One row after another; some may come more than once.
    private(set) var numbers: [UInt32] = []

    /// For each column and kind how good it is there: 0 is the column's own, higher ones stand in for it.
    private let quality: [[UInt8]]
    private static let unfit: UInt8 = .max

    /// The values of the song that is looked at, by column, and how good they are.
    private var values: [[UInt32]]
    private var best: [UInt8]

    init(_ tags: [TagType]) {
        width = tags.count
        quality = tags.map { tag in
            var quality = [UInt8](repeating: Self.unfit, count: 256)
            for (index, other) in ([tag] + tag.substitutes).enumerated() {
                quality[Int(other.rawValue)] = UInt8(index)
            }
            return quality
        }
        values = tags.map { _ in [] }
        best = tags.map { _ in Self.unfit }
    }

    /// Takes in some of a song's tags, as `PackedTags` has them.
    mutating func read(_ packed: UnsafeRawBufferPointer) {
        var place = 0
        while place + 5 <= packed.count {
            let tag = unsafe Int(packed[place])
            for column in 0..<width {
                let quality = quality[column][tag]
                guard quality != Self.unfit, quality <= best[column] else { continue }
                if quality < best[column] { values[column].removeAll(keepingCapacity: true) }
                best[column] = quality
                unsafe values[column].append(
                    UInt32(packed[place + 1]) << 24 | UInt32(packed[place + 2]) << 16 | UInt32(packed[place + 3]) << 8
                        | UInt32(packed[place + 4])
                )
            }
            place += 5
        }
    }

    /// Adds the rows of a song, all of whose tags were read.
    ///
    /// - Returns: How many.
    @discardableResult
    mutating func endSong() -> Int {
        var count = 1
        for column in 0..<width {
            if values[column].isEmpty { values[column].append(0) }
            count *= values[column].count
        }
        for index in 0..<count {
            var rest = index
            for column in 0..<width {
                numbers.append(values[column][rest % values[column].count])
                rest /= values[column].count
            }
        }
        for column in 0..<width {
            values[column].removeAll(keepingCapacity: true)
            best[column] = Self.unfit
        }
        return count
    }

    mutating func removeAll() { numbers.removeAll(keepingCapacity: true) }
}
