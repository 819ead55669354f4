/// The five parts of a URI reference (RFC 3986, appendix B); any text has them.
///
/// Resolves all references: those of playlists and manifests, and those of redirections. What a request is sent to is
/// decided by libcurl, which takes the result apart once more.
package struct URLReference: Sendable, Hashable {
    package var scheme: Substring?
    package var authority: Substring?
    package var path: Substring
    package var query: Substring?
    package var fragment: Substring?

    /// Splits a reference.
    ///
    /// - Parameter allowsScheme: Without it, a colon is an ordinary character, as in a file's name.
    package init(_ text: String, allowsScheme: Bool = true) {
        var rest = text[...]
        if let hash = rest.utf8.firstIndex(of: .hash) {
            fragment = rest[rest.utf8.index(after: hash)...]
            rest = rest[..<hash]
        }
        if let question = rest.utf8.firstIndex(of: .question) {
            query = rest[rest.utf8.index(after: question)...]
            rest = rest[..<question]
        }
        if allowsScheme, let colon = rest.utf8.firstIndex(of: .colon), isURLScheme(rest[..<colon].utf8) {
            scheme = rest[..<colon]
            rest = rest[rest.utf8.index(after: colon)...]
        }
        if rest.utf8.starts(with: "//".utf8) {
            let start = rest.utf8.index(rest.startIndex, offsetBy: 2)
            let end = rest.utf8[start...].firstIndex(of: .slash) ?? rest.endIndex
            authority = rest[start..<end]
            rest = rest[end...]
        }
        path = rest
    }

    /// Resolves this reference against a document's URL (RFC 3986, section 5.2.2).
    package func resolved(against base: URLReference) -> URLReference {
        var result = self
        if scheme != nil {
            result.path = removingDotSegments(path)
            return result
        }
        result.scheme = base.scheme
        if authority != nil {
            result.path = removingDotSegments(path)
            return result
        }
        result.authority = base.authority
        if path.isEmpty {
            result.path = base.path
            result.query = query ?? base.query
        } else if path.utf8.first == .slash {
            result.path = removingDotSegments(path)
        } else {
            result.path = removingDotSegments(merged(path, into: base))
        }
        return result
    }

    /// The reference as text (RFC 3986, section 5.3).
    package var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }
}

/// Whether bytes are a scheme (RFC 3986, section 3.1).
func isURLScheme(_ bytes: Substring.UTF8View) -> Bool {
    func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte | 0x20) }
    guard let first = bytes.first, isLetter(first) else { return false }
    return bytes.allSatisfy { isLetter($0) || (0x30...0x39).contains($0) || [0x2b, 0x2d, 0x2e].contains($0) }
}

/// Replaces the base's last segment by the path (section 5.2.3).
private func merged(_ path: Substring, into base: URLReference) -> Substring {
    if base.authority != nil, base.path.isEmpty { return "/" + path }
    guard let slash = base.path.utf8.lastIndex(of: .slash) else { return path }
    return base.path[...slash] + path
}

/// Removes `.` and `..` (section 5.2.4), on a stack of segments.
///
/// A relative path, which the RFC does not cover, keeps the `..` that lead out of it.
private func removingDotSegments(_ path: Substring) -> Substring {
    let isAbsolute = path.utf8.first == .slash
    let segments = path.utf8.split(separator: .slash, omittingEmptySubsequences: false)
    var kept: [Substring.UTF8View.SubSequence] = []
    var endsInDirectory = false
    for segment in segments.dropFirst(isAbsolute ? 1 : 0) {
        endsInDirectory = false
        if segment.elementsEqual(".".utf8) {
            endsInDirectory = true
        } else if segment.elementsEqual("..".utf8) {
            if let last = kept.last, !last.elementsEqual("..".utf8) {
                kept.removeLast()
                endsInDirectory = true
            } else if isAbsolute {
                endsInDirectory = true
            } else {
                kept.append(segment)
            }
        } else {
            kept.append(segment)
        }
    }
    var result = isAbsolute ? "/" : ""
    result += kept.map { Substring($0) }.joined(separator: "/")
    if endsInDirectory, !kept.isEmpty { result += "/" }
    return result[...]
}

extension UInt8 {
    fileprivate static let hash = UInt8(ascii: "#")
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let colon = UInt8(ascii: ":")
    fileprivate static let question = UInt8(ascii: "?")
}
