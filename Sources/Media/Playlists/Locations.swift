internal import AudioTypes
internal import TextEncodings

/// How a playlist's format writes locations.
package enum LocationSyntax: Sendable, Hashable {
    /// A path, or a complete URL: M3U, PLS, cue sheets.
    case path
    /// A URI reference, percent-encoded even when it is relative: XSPF.
    case uri
}

/// Resolves a location in a playlist.
///
/// - A URL stays a URL. In `http` and `https`, characters that no URL may have are percent-encoded.
/// - A `file:` URL becomes a path. If its decoded bytes are not UTF-8, no `String` can hold that path and the URL is
///   returned as it is; ``fileSystemPath(of:)`` returns its bytes.
/// - Any other location is relative to the directory of `base`: by RFC 3986, section 5.2, when `base` is a URL, else by
///   joining paths. `..` is kept in paths, because only the file system knows the parent of a symbolic link.
/// - A relative URI reference whose decoded bytes are not UTF-8 becomes a `file:` URL when `base` is absolute; else it
///   stays encoded, because no `String` could hold it.
/// - A path without a slash is taken as a Windows path when it has backslashes. One with a drive's letter is returned
///   with slashes and is not joined to `base`: it does not exist here, and ``windowsDrivePath(_:)`` detects it.
/// - A relative result never starts like a URL or an option of ours: `-`, `pipe:0` become `./-`, `./pipe:0`.
///
/// - Parameter base: The path or URL of the playlist itself; of a directory only with a slash at the end.
package func resolve(_ location: String, against base: String, as syntax: LocationSyntax = .path) -> String {
    if let path = fileURLPath(location) { return String(validating: path, as: UTF8.self).map(localPath) ?? location }
    if hasAuthorityScheme(location) {
        return isWebURL(location) ? encodingIllegalCharacters(location) : location
    }
    if windowsDrivePath(location) != nil { return withSlashes(location) }
    if hasAuthorityScheme(base), fileURLPath(base) == nil {
        return resolveInURL(location, against: base, as: syntax)
    }

    let directory = directory(of: fileURLPath(base) ?? Array(base.utf8))
    if syntax == .uri, let path = joined(directory, ByteEscape.percent.decodeWherePossible(location.utf8)) {
        return path
    }
    let hasWindowsSlashes = !location.utf8.contains(.slash) && location.utf8.contains(.backslash)
    let path = hasWindowsSlashes ? withSlashes(location) : location
    return joined(directory, Array(path.utf8)) ?? path
}

/// The bytes of a location's path: a path's own, or a `file:` URL's decoded ones; `nil` for other URLs.
///
/// A file whose name is not UTF-8 is passed as a `file:` URL, since a `String` cannot hold its name.
package func fileSystemPath(of location: String) -> [UInt8]? {
    if let path = fileURLPath(location) { return path }
    return hasAuthorityScheme(location) ? nil : Array(location.utf8)
}

/// The location of the file with this path: the path itself, or a `file:` URL when it is not UTF-8.
///
/// - Parameter path: Absolute if it is not UTF-8, as a `file:` URL cannot be relative.
package func location(ofFileSystemPath path: [UInt8]) -> String {
    if let text = String(validating: path, as: UTF8.self) { return text }
    return "file://" + ByteEscape.percent.encode(path) { $0.isUnreservedInURL || $0 == .slash }
}

/// The path after a Windows drive's letter, with slashes: `C:\a\b` and `C:/a/b` give `a/b`; `nil` for other paths.
package func windowsDrivePath(_ location: String) -> String? {
    guard let letter = location.utf8.first, letter.isASCIILetter else { return nil }
    guard location.utf8.dropFirst().first == .colon, let slash = location.utf8.dropFirst(2).first else { return nil }
    guard slash == .backslash || slash == .slash else { return nil }
    // `a://` is the start of a URL.
    guard !location.utf8.dropFirst(2).starts(with: "//".utf8) else { return nil }
    return withSlashes(String(location.dropFirst(3)))
}

/// The part after the last dot of a path's or URL's last component; `nil` without one.
///
/// A dot at its start hides a file and starts no extension.
package func pathExtension(of location: String) -> String? {
    var path = location.utf8[...]
    if hasAuthorityScheme(location), let end = path.firstIndex(where: { $0 == .question || $0 == .hash }) {
        path = path[..<end]
    }
    let name = path.lastIndex(of: .slash).map { path[path.index(after: $0)...] } ?? path
    guard let dot = name.lastIndex(of: .dot), dot != name.startIndex else { return nil }
    let suffix = String(name[name.index(after: dot)...]) ?? ""
    return suffix.isEmpty ? nil : suffix
}

/// The path with percent-encoded bytes decoded; `nil` when nothing is encoded or the result is not UTF-8.
package func percentDecodedPath(_ path: String) -> String? {
    guard path.utf8.contains(.percent) else { return nil }
    let decoded = String(validating: ByteEscape.percent.decodeWherePossible(path.utf8), as: UTF8.self)
    return decoded == path ? nil : decoded
}

// MARK: - File URLs and paths

private func fileURLPath(_ location: String) -> [UInt8]? { FilePath(fileURL: location)?.bytes }

/// A decoded file URL's path: `/C:/a` loses its first slash.
private func localPath(_ path: String) -> String {
    let rest = String(path.dropFirst())
    return windowsDrivePath(rest) == nil ? path : withSlashes(rest)
}

private func withSlashes(_ path: String) -> String {
    String(decoding: path.utf8.map { $0 == .backslash ? .slash : $0 }, as: UTF8.self)
}

/// Everything up to and including the last slash.
private func directory(of path: [UInt8]) -> ArraySlice<UInt8> {
    path.lastIndex(of: .slash).map { path[...$0] } ?? []
}

/// The location of a path in a directory; `nil` when it is relative and not UTF-8.
private func joined(_ directory: ArraySlice<UInt8>, _ path: [UInt8]) -> String? {
    var rest = path[...]
    if rest.first != .slash {
        while rest.starts(with: [.dot, .slash]) { rest = rest.dropFirst(2) }
        rest = directory + rest
    }
    if let text = String(validating: rest, as: UTF8.self) { return unambiguous(text) }
    return rest.first == .slash ? location(ofFileSystemPath: Array(rest)) : nil
}

/// The same path in a form that cannot be taken for a URL or for standard input.
private func unambiguous(_ path: String) -> String {
    guard path.utf8.first != .slash else { return path }
    let first = path.utf8.prefix { $0 != .slash }
    return path == "-" || first.contains(.colon) ? "./" + path : path
}

/// A faster `MediaEntry.isURL`, for lists of a hundred thousand paths.
private func hasAuthorityScheme(_ location: String) -> Bool {
    guard let first = location.utf8.first, first.isASCIILetter else { return false }
    return location.utf8.drop { $0.isSchemeCharacter }.starts(with: "://".utf8)
}

/// Whether a location is an `http` or `https` URL.
package func isWebURL(_ location: String) -> Bool {
    let head = Array(location.utf8.prefix(8))[...]
    return head.dropping(prefix: "http://") != nil || head.dropping(prefix: "https://") != nil
}
