private import Glibc

/// What `.mpdignore` files leave out: patterns (fnmatch(3)) for names in their directory and below.
struct IgnorePatterns: Sendable {
    static let fileName = Array(".mpdignore".utf8)
    /// What is read of one file, in bytes.
    static let limit = 65_536

    /// Each ends with a zero.
    private var patterns: [[CChar]] = []

    /// This list with another file's.
    func adding(_ text: [UInt8]) -> IgnorePatterns {
        var list = self
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            guard line.first != UInt8(ascii: "#"), !line.contains(0) else { continue }
            var rest = line.drop { $0 == 0x20 || $0 == 0x09 }
            while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
            if !rest.isEmpty { list.patterns.append(rest.map { CChar(bitPattern: $0) } + [0]) }
        }
        return list
    }

    func matches(_ name: ArraySlice<UInt8>) -> Bool {
        if patterns.isEmpty { return false }
        let name = name.map { CChar(bitPattern: $0) } + [0]
        return patterns.contains { unsafe fnmatch($0, name, 0) == 0 }
    }
}
