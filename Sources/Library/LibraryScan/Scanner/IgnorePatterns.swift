package import Files
private import Glibc

/// The patterns (fnmatch(3)) of `.mpdignore` files, which apply to names in their directories and below.
package struct IgnorePatterns: Sendable {
    package static let fileName = Array(".mpdignore".utf8)
    /// The most that is read of one file, in bytes.
    private static let limit = 65_536

    /// Each is NUL-terminated.
    private var patterns: [[CChar]] = []

    package init() {}

    /// These patterns and those of another file; an unreadable file adds none.
    package func adding(_ file: borrowing Descriptor) -> IgnorePatterns {
        guard let status = try? file.status, status.kind == .file,
            let text = try? file.bytes(at: 0, count: min(status.size, Self.limit + 1))
        else { return self }
        // A truncated pattern could match anything.
        return adding(text.count <= Self.limit ? text[...] : text[..<(text.lastIndex(of: 0x0a) ?? 0)])
    }

    func adding(_ text: ArraySlice<UInt8>) -> IgnorePatterns {
        var list = self
        for line in text.split(whereSeparator: { $0 == 0x0a || $0 == 0x0d }) {
            guard line.first != UInt8(ascii: "#"), !line.contains(0) else { continue }
            var rest = line.drop { $0 == 0x20 || $0 == 0x09 }
            while let last = rest.last, last == 0x20 || last == 0x09 { rest.removeLast() }
            if !rest.isEmpty { list.patterns.append(rest.map { CChar(bitPattern: $0) } + [0]) }
        }
        return list
    }

    package func matches(_ name: String) -> Bool { patterns.isEmpty ? false : matches(Array(name.utf8)[...]) }

    func matches(_ name: ArraySlice<UInt8>) -> Bool {
        if patterns.isEmpty { return false }
        let name = name.map { CChar(bitPattern: $0) } + [0]
        return patterns.contains { unsafe fnmatch($0, name, 0) == 0 }
    }
}
