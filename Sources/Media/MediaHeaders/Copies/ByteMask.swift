/// Other bytes for some parts of a file, so that it tells less than it has; its length, and the places of all else, stay.
struct ByteMask: Sendable, Hashable {
    /// Bytes that stand at the beginning of a part; zeros follow.
    private struct Part: Sendable, Hashable {
        let range: Range<Int>
        let head: [UInt8]
    }

    /// In order, without overlaps, once ``sort()`` was called.
    private var parts: [Part] = []

    var count: Int { parts.count }

    /// In bytes, of memory.
    var cost: Int { parts.count * MemoryLayout<Part>.stride + parts.reduce(0) { $0 + $1.head.count } }

    /// Puts zeros, behind some other bytes, in the place of a part of which nothing is hidden yet.
    mutating func hide(_ range: Range<Int>, behind head: [UInt8] = []) {
        if !range.isEmpty { parts.append(Part(range: range, head: head)) }
    }

    mutating func sort() { parts.sort { $0.range.lowerBound < $1.range.lowerBound } }

    /// Hides the parts of a piece of the file.
    ///
    /// - Parameter offset: Of the piece in the file.
    func apply(to bytes: inout [UInt8], at offset: Int) {
        let piece = offset..<offset + bytes.count
        var index = firstPart(endingBehind: offset)
        while index < parts.count, parts[index].range.lowerBound < piece.upperBound {
            let part = parts[index]
            for place in part.range.clamped(to: piece) {
                let behind = place - part.range.lowerBound
                bytes[place - offset] = behind < part.head.count ? part.head[behind] : 0
            }
            index += 1
        }
    }

    private func firstPart(endingBehind offset: Int) -> Int {
        var (low, high) = (0, parts.count)
        while low < high {
            let middle = (low + high) / 2
            if parts[middle].range.upperBound > offset { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
