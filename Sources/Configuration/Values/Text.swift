extension StringProtocol {
    /// Without the blanks around it.
    var trimmed: String {
        let blanks: Set<Character> = [" ", "\t", "\r", "\n", "\r\n"]
        let start = drop { blanks.contains($0) }
        guard let last = start.lastIndex(where: { !blanks.contains($0) }) else { return "" }
        return String(start[...last])
    }

    func lastRange(of text: String) -> Range<Index>? {
        guard !text.isEmpty else { return nil }
        return indices.reversed().lazy.compactMap { start in
            index(start, offsetBy: text.count, limitedBy: endIndex).map { start..<$0 }
        }
        .first { self[$0] == text }
    }

    /// What is before and after the last `separator`; `nil` without one.
    func splitLast(_ separator: Character) -> (first: SubSequence, last: SubSequence)? {
        guard let place = lastIndex(of: separator) else { return nil }
        return (self[..<place], self[index(after: place)...])
    }

    /// What is before and after the first `separator`; `nil` without one.
    func splitFirst(_ separator: Character) -> (first: SubSequence, last: SubSequence)? {
        guard let place = firstIndex(of: separator) else { return nil }
        return (self[..<place], self[index(after: place)...])
    }
}
