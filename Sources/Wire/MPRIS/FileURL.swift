/// A path as a URL: bytes that have no meaning of their own there stay, others become `%` and two hexadecimal digits
/// (RFC 3986, section 2).
package func fileURL(_ path: String) -> String {
    path.utf8.reduce(into: "file://") { result, byte in
        let isPlain = (0x30...0x39).contains(byte) || (0x61...0x7a).contains(byte | 0x20) && byte < 0x80
        if isPlain || [0x2d, 0x2e, 0x2f, 0x5f, 0x7e].contains(byte) {
            result.unicodeScalars.append(Unicode.Scalar(byte))
        } else {
            let digits = String(byte, radix: 16, uppercase: true)
            result += "%" + (digits.count < 2 ? "0" : "") + digits
        }
    }
}

/// The path of a `file:` URL (RFC 8089); `nil` for one of another machine, or without a path.
package func filePath(_ url: String) -> String? {
    var rest = url.dropFirst("file:".count)
    for host in ["//localhost/", "///"] where rest.hasPrefix(host) { rest = rest.dropFirst(host.count - 1) }
    guard rest.hasPrefix("/"), !rest.hasPrefix("//") else { return nil }
    var (bytes, text) = ([UInt8](), rest.utf8[...])
    while let byte = text.popFirst() {
        guard byte == 0x25 else {
            bytes.append(byte)
            continue
        }
        guard text.count >= 2, let code = UInt8(digits: text.prefix(2), radix: 16), code != 0 else { return nil }
        bytes.append(code)
        text = text.dropFirst(2)
    }
    return String(validating: bytes, as: UTF8.self)
}
