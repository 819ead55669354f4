package import AudioTypes
internal import CivilTime

extension StreamFailure {
    /// The error log row of an HTTP error.
    package init(_ error: HTTPError, url: String, isFinal: Bool) {
        self.init(
            date: wallClock(),
            uri: displayedURL(url),
            serverAddress: error.serverAddress,
            statusCode: error.status,
            domain: error.domain,
            comment: error.comment,
            isFinal: isFinal
        )
    }
}

/// A URL without user name and password, even if it cannot be parsed.
func displayedURL(_ url: String) -> String {
    guard let scheme = url.firstRange(of: "://") else { return url }
    let rest = url[scheme.upperBound...]
    let authority = rest.prefix { !"/?#\\".contains($0) }
    guard let at = authority.lastIndex(of: "@") else { return url }
    return url[..<scheme.upperBound] + String(rest[rest.index(after: at)...])
}
