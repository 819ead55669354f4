/// What is looked for, in the protocol's words.
enum Query {
    /// Tags with what they contain, or an expression in parentheses, go to the server as they are; a single word is
    /// looked for everywhere.
    static func words(_ query: [String]) -> [String] {
        if query.count == 1, !query[0].hasPrefix("(") { return ["any", query[0]] }
        return query
    }
}
