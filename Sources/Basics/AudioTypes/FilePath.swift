internal import TextEncodings

/// The path of a local file as bytes, which need not be UTF-8.
package struct FilePath: Sendable, Hashable {
    /// Null-terminated, for C functions.
    package let cString: [CChar]

    /// A path from its bytes; `nil` when it is empty or contains a zero byte.
    package init?(bytes: some Collection<UInt8>) {
        guard !bytes.isEmpty, !bytes.contains(0) else { return nil }
        cString = bytes.map(CChar.init(bitPattern:)) + [0]
    }

    package var bytes: [UInt8] { cString.dropLast().map(UInt8.init(bitPattern:)) }
}

extension FilePath {
    /// The path in `file:///path`, `file://localhost/path` or `file:/path` (RFC 8089), decoded; `nil` for anything
    /// else.
    ///
    /// Another host becomes the start of a UNC path, as on Windows. Question mark and hash sign belong to the path:
    /// they are far more often left unencoded by mistake than meant as a query.
    package init?(fileURL location: String) {
        var rest = location.utf8[...]
        guard rest.prefix(5).elementsEqual("file:".utf8, by: { $0 | 0x20 == $1 | 0x20 }) else { return nil }
        rest = rest.dropFirst(5)
        guard rest.first == slash else { return nil }
        if rest.starts(with: "//".utf8) {
            let authority = rest.dropFirst(2).prefix { $0 != slash }
            let isLocal = authority.isEmpty || authority.elementsEqual("localhost".utf8, by: { $0 | 0x20 == $1 })
            if isLocal { rest = rest.dropFirst(2 + authority.count) }
        }
        self.init(bytes: ByteEscape.percent.decodeWherePossible(rest))
    }
}

extension MediaEntry {
    /// The local file of the entry; `nil` for URLs of other schemes and for standard input.
    package var filePath: FilePath? {
        if let openFile { return openFile }
        if let path = FilePath(fileURL: location) { return path }
        return isURL || location == "-" ? nil : FilePath(bytes: location.utf8)
    }
}

private let slash = UInt8(ascii: "/")
