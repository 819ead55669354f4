internal import TextEncodings

/// A path as a URL (RFC 8089).
package func fileURL(_ path: String) -> String {
    "file://" + ByteEscape.percent.encode(path.utf8) { $0.isUnreservedInURL || $0 == UInt8(ascii: "/") }
}

/// The path of a `file:` URL; `nil` for one of another machine, or without a path.
package func filePath(_ url: String) -> String? {
    var rest = url.dropFirst("file:".count)
    for host in ["//localhost/", "///"] where rest.hasPrefix(host) { rest = rest.dropFirst(host.count - 1) }
    guard rest.hasPrefix("/"), !rest.hasPrefix("//"), let path = ByteEscape.percent.decode(rest.utf8), !path.contains(0)
    else { return nil }
    return String(validating: path, as: UTF8.self)
}
