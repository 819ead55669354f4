/// A natural sort key: letters without regard to case, and runs of digits by their value, so that `track 2` comes
/// before `track 10`.
///
/// No locale is used: letters beyond case are in the order of Unicode. Texts that differ only in case or in leading
/// zeros are still ordered, so that a listing never depends on the order in which the directory was read.
package struct NaturalKey: Sendable, Hashable, Comparable {
    private let folded: [UInt8]
    private let original: String

    package init(_ text: String) {
        self.original = text
        self.folded = Array(text.lowercased().utf8)
    }

    package static func < (left: Self, right: Self) -> Bool {
        let (a, b) = (left.folded, right.folded)
        var (i, j) = (0, 0)
        /// The first difference in leading zeros decides among equals: fewer come first.
        var zeros = 0
        while i < a.count, j < b.count {
            guard a[i].isASCIIDigit, b[j].isASCIIDigit else {
                if a[i] != b[j] { return a[i] < b[j] }
                i += 1
                j += 1
                continue
            }
            let (m, n) = (NumberRun(a, at: i), NumberRun(b, at: j))
            if m.count != n.count { return m.count < n.count }
            for offset in 0..<m.count where a[m.start + offset] != b[n.start + offset] {
                return a[m.start + offset] < b[n.start + offset]
            }
            if zeros == 0 { zeros = (m.start - i) - (n.start - j) }
            i = m.start + m.count
            j = n.start + n.count
        }
        if (a.count - i) != (b.count - j) { return (a.count - i) < (b.count - j) }
        if zeros != 0 { return zeros < 0 }
        return left.original.utf8.lexicographicallyPrecedes(right.original.utf8)
    }
}

/// A number in a text: its digits without the leading zeros.
private struct NumberRun {
    let start: Int
    let count: Int

    init(_ bytes: [UInt8], at index: Int) {
        var start = index
        while start < bytes.count, bytes[start] == .zero { start += 1 }
        var end = start
        while end < bytes.count, bytes[end].isASCIIDigit { end += 1 }
        self.start = start
        self.count = end - start
    }
}
