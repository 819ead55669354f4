import ArgumentParser
import Songs

/// A search in the protocol's words.
enum Query {
    /// How a value is compared with a tag.
    enum Comparison {
        case whole
        case part
    }

    /// Pairs of a tag and a value, or an expression in parentheses, are sent unchanged; words without a tag are compared
    /// with all tags: each word by itself with parts of tags, all words together with whole tags.
    static func words(_ query: [String], _ comparison: Comparison = .part) -> [String] {
        guard isWords(query) else { return query }
        switch comparison {
        case .whole: return ["any", query.joined(separator: " ")]
        case .part: return query.flatMap { ["any", $0] }
        }
    }

    /// Whether the query is words to look for, without a tag.
    static func isWords(_ query: [String]) -> Bool {
        guard let first = query.first, !first.hasPrefix("(") else { return false }
        return query.count == 1 || !isTag(first)
    }

    /// - Throws: `ValidationError` for a tag whose value is written as several words.
    static func check(_ query: [String]) throws {
        guard query.count > 2, query.count % 2 == 1, !isWords(query), !query[0].hasPrefix("(") else { return }
        throw ValidationError("a value of several words needs quotes, such as: \(query[0]) '\(query[1]) \(query[2])'")
    }

    private static func isTag(_ word: String) -> Bool {
        TagType(name: word) != nil || otherFilters.contains(word.lowercased())
    }

    private static let otherFilters: Set = [
        "any", "file", "filename", "base", "modified-since", "added-since", "audioformat", "prio",
    ]
}
