internal import AudioTypes
internal import TextEncodings

/// Resolves a location in a playlist that itself has a URL.
func resolveInURL(_ location: String, against base: String, as syntax: LocationSyntax) -> String {
    let reference: URLReference
    switch syntax {
    case .uri:
        reference = URLReference(location)
    case .path:
        var text = location
        if !text.utf8.contains(.slash) { text = String(text.map { $0 == "\\" ? "/" : $0 }) }
        // A fragment is not sent to a server; "Song #1.mp3" is the name of a file.
        text = String(decoding: text.utf8.flatMap { $0 == .hash ? Array("%23".utf8) : [$0] }, as: UTF8.self)
        reference = URLReference(text, allowsScheme: false)
    }
    return encodingIllegalCharacters(reference.resolved(against: URLReference(base)).text)
}

// MARK: - Percent encoding

/// Percent-encodes the characters that no part of a URL may have (RFC 3986, section 2).
func encodingIllegalCharacters(_ url: String) -> String {
    ByteEscape.percent.encode(url.utf8) { !$0.isIllegalInURL }
}

extension UInt8 {
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

/// The URL with the user name and password of another one, if it has them and refers to the same server.
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
