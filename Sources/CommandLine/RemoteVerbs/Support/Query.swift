/// A search in the protocol's words.
enum Query {
    /// Pairs of a tag and a value, or an expression in parentheses, are sent unchanged; a single word is searched for
    /// in all tags.
    static func words(_ query: [String]) -> [String] {
        if query.count == 1, !query[0].hasPrefix("(") { return ["any", query[0]] }
        return query
    }
}
