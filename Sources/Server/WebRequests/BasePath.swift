/// The path below which a proxy has the server: empty, or `/music`.
package struct BasePath: Sendable, Hashable {
    package let text: String

    package static let none = BasePath(text: "")

    private init(text: String) { self.text = text }

    /// - Parameter field: As the field `X-Forwarded-Prefix` has it; one that is no path counts as none.
    init(_ field: String?) {
        let path = field.map { $0.hasSuffix("/") ? String($0.dropLast()) : $0 } ?? ""
        let names = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        let isPath =
            path.hasPrefix("/") && !names.contains { ["", ".", ".."].contains($0) }
            && path.utf8.count <= Self.mostBytes
        text = isPath && path.utf8.allSatisfy(Self.isPlain) ? path : ""
    }

    private static let mostBytes = 256

    /// Letters, digits, and the signs that no path has to escape (RFC 3986, section 2.3).
    private static func isPlain(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) || "/-._~".utf8.contains(byte)
    }
}
