/// A filter of songs in parentheses, as `find` has it, that is kept as it was given.
package struct SongExpression: Sendable, Hashable {
    package let text: String

    /// In bytes.
    package static let longest = 1_024

    package init(_ text: String) throws(SongFilterError) {
        guard text.utf8.count <= Self.longest else {
            throw SongFilterError("A filter has at most \(Self.longest) bytes")
        }
        guard text.hasPrefix("(") else { throw SongFilterError("A filter of songs begins with a parenthesis") }
        _ = try SongFilter([text], .exact)
        self.text = text
    }
}
