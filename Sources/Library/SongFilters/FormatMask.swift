/// A format in a filter: `44100:16:2`, with `*` for components that may have any value.
package struct FormatMask: Sendable, Hashable {
    private let parts: [String?]

    init(_ text: String, allowsWildcards: Bool) throws(SongFilterError) {
        var parts = text.split(separator: ":", omittingEmptySubsequences: false).map(String.init)
        // DSD formats have rate and sample size in one word.
        if parts[0].hasPrefix("dsd"), Int(parts[0].dropFirst(3)) != nil { parts.insert("dsd", at: 1) }
        guard Self.isNumber(parts[0]) || parts.count > 1 && parts[1] == "dsd" || (allowsWildcards && parts[0] == "*")
        else {
            throw SongFilterError("Failed to parse the sample rate")
        }
        guard parts.count > 1 else { throw SongFilterError("Sample format missing") }
        let isKnown =
            ["8", "16", "24", "24_3", "32", "f", "dsd"].contains(parts[1]) || (allowsWildcards && parts[1] == "*")
        if !isKnown {
            let isNumber = Self.isNumber(parts[1])
            throw SongFilterError(
                isNumber ? "Invalid sample format: \(parts[1])" : "Failed to parse the sample format"
            )
        }
        guard parts.count > 2 else { throw SongFilterError("Channel count missing") }
        guard Self.isNumber(parts[2]) || (allowsWildcards && parts[2] == "*") else {
            throw SongFilterError("Failed to parse the channel count")
        }
        if let count = Int(parts[2]), !(1...64).contains(count) {
            throw SongFilterError("Invalid channel count: \(count)")
        }
        guard parts.count == 3 else { throw SongFilterError("Extra data after channel count: :\(parts[3])") }
        self.parts = parts.map { $0 == "*" ? nil : $0 }
    }

    /// Whether a song's format matches.
    package func matches(_ format: String?) -> Bool {
        guard let format else { return false }
        var words = format.split(separator: ":", omittingEmptySubsequences: false)
        if words[0].hasPrefix("dsd") { words.insert("dsd", at: 1) }
        return words.count == parts.count && zip(parts, words).allSatisfy { $0 == nil || $0.map { $0[...] } == $1 }
    }

    private static func isNumber(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    }
}
