internal import SongFilters
internal import Songs

/// Collects the combinations of values of some tags in songs, as numbers; 0 stands for an absent tag.
struct TagRows {
    /// The number of columns.
    let width: Int
    /// The rows, one after another; duplicates are possible.
    private(set) var numbers: [UInt32] = []

    /// For each column and kind of tag, the rank of that tag: 0 for the column's own tag, higher for its substitutes.
    private let quality: [[UInt8]]
    private static let unfit: UInt8 = .max

    /// The current song's values by column, and the ranks of their tags.
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

    /// Reads some of a song's tags, in the format of `PackedTags`.
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

    /// Adds the rows of a song after all its tags have been read.
    ///
    /// - Returns: The number of rows.
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
