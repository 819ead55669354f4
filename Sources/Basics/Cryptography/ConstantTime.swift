extension Collection<UInt8> {
    /// Whether bytes are the same as others, in a time that tells only their counts, not where they differ.
    package func isEqualInConstantTime(to other: some Collection<UInt8>) -> Bool {
        guard count == other.count else { return false }
        // `|` and `^` have the same precedence: without the parentheses, equal bytes would forgive differences before them.
        return zip(self, other).reduce(0) { difference, pair in difference | (pair.0 ^ pair.1) } == 0
    }
}
