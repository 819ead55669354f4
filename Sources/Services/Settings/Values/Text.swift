extension StringProtocol {
    /// The text without surrounding blanks.
    var trimmed: String {
        let blanks: Set<Character> = [" ", "\t", "\r", "\n", "\r\n"]
        let start = drop { blanks.contains($0) }
        guard let last = start.lastIndex(where: { !blanks.contains($0) }) else { return "" }
        return String(start[...last])
    }

    /// The words of a command line: separated by blanks outside of single or double quotation marks; no other character
    /// is special.
    ///
    /// - Returns: `nil` when a quotation mark is not closed.
    var commandWords: [String]? {
        var words: [String] = []
        var word: String?
        var mark: Character?
        for character in self {
            if character == mark {
                mark = nil
            } else if mark == nil, character == "\"" || character == "'" {
                mark = character
                word = word ?? ""
            } else if mark == nil, character == " " || character == "\t" {
                if let whole = word { words.append(whole) }
                word = nil
            } else {
                word = (word ?? "") + String(character)
            }
        }
        return mark == nil ? words + (word.map { [$0] } ?? []) : nil
    }

    func lastRange(of text: String) -> Range<Index>? {
        guard !text.isEmpty else { return nil }
        return indices.reversed().firstNonNil { start in
            guard let end = index(start, offsetBy: text.count, limitedBy: endIndex), self[start..<end] == text else {
                return nil
            }
            return start..<end
        }
    }

    /// The parts before and after the last `separator`; `nil` if there is none.
    func splitLast(_ separator: Character) -> (first: SubSequence, last: SubSequence)? {
        guard let place = lastIndex(of: separator) else { return nil }
        return (self[..<place], self[index(after: place)...])
    }

    /// The parts before and after the first `separator`; `nil` if there is none.
    func splitFirst(_ separator: Character) -> (first: SubSequence, last: SubSequence)? {
        guard let place = firstIndex(of: separator) else { return nil }
        return (self[..<place], self[index(after: place)...])
    }
}
