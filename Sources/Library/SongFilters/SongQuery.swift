package import Songs
package import TextPatterns

/// A filter with its optional clauses: `sort TAG`, then `window START:END`.
package struct SongQuery: Sendable {
    package private(set) var filter: SongFilter
    package let sort: SongSort?
    package let window: Range<Int>?

    package init(_ arguments: [String], _ mode: SongFilter.Mode) throws(SongFilterError) {
        var arguments = arguments[...]
        var window: Range<Int>?
        var sort: SongSort?
        // A filter needs at least one word, so a clause is only recognised if a word remains before it.
        if arguments.count > 2, arguments[arguments.endIndex - 2] == "window" {
            window = try parseWindow(arguments[arguments.endIndex - 1])
            arguments = arguments.dropLast(2)
        }
        if arguments.count > 2, arguments[arguments.endIndex - 2] == "sort" {
            sort = try SongSort(arguments[arguments.endIndex - 1])
            arguments = arguments.dropLast(2)
        }
        filter = try SongFilter(arguments, mode)
        self.sort = sort
        self.window = window
    }

    /// The same query, whose regular expressions are aborted when `isCancelled` returns `true`.
    package func cancelled(when isCancelled: @escaping @Sendable () -> Bool) -> SongQuery {
        var query = self
        query.filter = filter.cancelled(when: isCancelled)
        return query
    }

    /// The elements whose songs match the query, sorted and limited to the window.
    ///
    /// - Throws: When a regular expression takes too long.
    package func select<Element>(
        _ elements: some Sequence<Element>,
        song: (Element) -> Song,
        priority: (Element) -> Int = { _ in 0 }
    ) throws(PatternError) -> [Element] {
        let matcher = filter.matcher()
        var found: [Element] = []
        for element in elements where matcher.matches(song(element), priority: priority(element)) {
            found.append(element)
            // Without sorting, elements after the window do not matter.
            if sort == nil, let window, found.count >= window.upperBound { break }
        }
        try matcher.check()
        if let sort { found = sort.sorted(found, song: song, priority: priority) }
        guard let window else { return found }
        return Array(found[window.clamped(to: 0..<found.count)])
    }
}

/// `start:end`, `start:` or one number; the end may be omitted.
package func parseWindow(_ text: String) throws(SongFilterError) -> Range<Int> {
    let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let start = number(parts[0]) else { throw SongFilterError("Integer or range expected: \(text)") }
    guard parts.count == 2 else { return start..<start + 1 }
    if parts[1].isEmpty { return start..<Int.max }
    guard let end = number(parts[1]) else { throw SongFilterError("Integer or range expected: \(text)") }
    guard end >= start else { throw SongFilterError("Malformed range: \(text)") }
    return start..<end
}

private func number(_ text: Substring) -> Int? {
    guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    return Int(text).flatMap { $0 <= Int(Int32.max) ? $0 : nil }
}
