/// The five parts of a URI reference (RFC 3986, appendix B); any text has them.
struct URLReference {
    var scheme: Substring?
    var authority: Substring?
    var path: Substring
    var query: Substring?
    var fragment: Substring?

    /// Splits a reference.
    ///
    /// - Parameter allowsScheme: Without it, a colon is a character like others, as in the name of a file.
    init(_ text: String, allowsScheme: Bool = true) {
        var rest = text[...]
        if let hash = rest.utf8.firstIndex(of: .hash) {
            fragment = rest[rest.utf8.index(after: hash)...]
            rest = rest[..<hash]
        }
        if let question = rest.utf8.firstIndex(of: .question) {
            query = rest[rest.utf8.index(after: question)...]
            rest = rest[..<question]
        }
        if allowsScheme, let colon = rest.utf8.firstIndex(of: .colon), isScheme(rest[..<colon]) {
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

    /// The reference that results from this one in a document at `base` (RFC 3986, section 5.2.2).
    func resolved(against base: URLReference) -> URLReference {
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
    var text: String {
        var text = ""
        if let scheme { text += scheme + ":" }
        if let authority { text += "//" + authority }
        text += path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return text
    }
}

/// A location in a playlist that itself has a URL.
func resolveInURL(_ location: String, against base: String, as syntax: LocationSyntax) -> String {
    let reference: URLReference
    switch syntax {
    case .uri:
        reference = URLReference(location)
    case .path:
        var text = location
        if !text.utf8.contains(.slash) { text = String(text.map { $0 == "\\" ? "/" : $0 }) }
        // A fragment has no meaning for a server; "Song #1.mp3" is the name of a file.
        text = String(decoding: text.utf8.flatMap { $0 == .hash ? Array("%23".utf8) : [$0] }, as: UTF8.self)
        reference = URLReference(text, allowsScheme: false)
    }
    return encodingIllegalCharacters(reference.resolved(against: URLReference(base)).text)
}

private func isScheme(_ text: Substring) -> Bool {
    guard let first = text.utf8.first, first.isASCIILetter else { return false }
    return text.utf8.allSatisfy(\.isSchemeCharacter)
}

/// The path put in the place of the base's last segment (section 5.2.3).
private func merged(_ path: Substring, into base: URLReference) -> Substring {
    if base.authority != nil, base.path.isEmpty { return "/" + path }
    guard let slash = base.path.utf8.lastIndex(of: .slash) else { return path }
    return base.path[...slash] + path
}

/// Removes `.` and `..` (section 5.2.4), on a stack of segments.
///
/// A relative path, which the RFC leaves out, keeps the `..` that lead out of it.
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

// MARK: - Percent encoding

/// The URL with the characters that no part of a URL may have percent-encoded (RFC 3986, section 2).
func encodingIllegalCharacters(_ url: String) -> String {
    guard url.utf8.contains(where: \.isIllegalInURL) else { return url }
    var result = ""
    for byte in url.utf8 {
        if byte.isIllegalInURL {
            result += percentEncoded(byte)
        } else {
            result.unicodeScalars.append(Unicode.Scalar(byte))
        }
    }
    return result
}

func percentEncoded(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return (byte < 0x10 ? "%0" : "%") + digits
}

extension UInt8 {
    /// RFC 3986, section 2.3.
    var isUnreservedInURL: Bool {
        isASCIILetter || isASCIIDigit || self == .minus || self == .dot || self == 0x5f || self == 0x7e
    }

    /// RFC 3986, section 3.1, after the first letter.
    var isSchemeCharacter: Bool {
        isASCIILetter || isASCIIDigit || self == 0x2b || self == .minus || self == .dot
    }

    fileprivate var isIllegalInURL: Bool {
        switch self {
        case 0...0x20, 0x7f...0xff, .quote, .less, .greater, .backslash, 0x5e, 0x60, 0x7b, 0x7c, 0x7d: true
        default: false
        }
    }
}

/// The URL with the user name and password of another one, if that has some and names the same server.
package func keepingCredentials(of other: String, in url: String) -> String {
    let (source, target) = (URLReference(other), URLReference(url))
    guard let from = source.authority, let to = target.authority, let at = from.lastIndex(of: "@"),
        source.scheme?.lowercased() == target.scheme?.lowercased(),
        from[from.index(after: at)...].lowercased() == to.lowercased()
    else { return url }
    var result = target
    result.authority = from
    return result.text
}
