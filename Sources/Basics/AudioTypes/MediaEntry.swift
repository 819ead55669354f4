/// Something to play, as a person or a playlist names it: a place, and what of it is wanted.
package struct MediaEntry: Sendable, Hashable {
    /// A file's path or a URL; `-` is standard input.
    package var location: String
    /// Other locations of the same, such as a station's further servers, in the order in which they are tried.
    ///
    /// Whoever cannot open the location, or loses it and is not let in again, tries them in turn and then begins anew with
    /// the location. They hold the same thing, so nothing but the connection changes: the entry stays the one it is.
    package var alternatives: [String]
    /// The URL that was asked for and has led to the location, where a playlist of the network names it; `nil`: the
    /// location was asked for itself.
    package var origin: String?
    /// Where in the medium to begin; `nil` is its beginning.
    package var start: MediaTime?
    /// Where in the medium to end; `nil` is its end.
    package var end: MediaTime?
    /// What the playlist says of the entry.
    ///
    /// It wins over the medium's own tags.
    package var tags: Tags
    /// What the playlist says of the duration; a hint until the medium is opened.
    package var duration: MediaTime?

    package init(
        location: String,
        alternatives: [String] = [],
        origin: String? = nil,
        start: MediaTime? = nil,
        end: MediaTime? = nil,
        tags: Tags = Tags(),
        duration: MediaTime? = nil
    ) {
        self.location = location
        self.alternatives = alternatives
        self.origin = origin
        self.start = start
        self.end = end
        self.tags = tags
        self.duration = duration
    }

    /// The URL that was asked for: whose server is told what is for nobody else.
    package var requestedLocation: String { origin ?? location }

    /// The location as it is shown, logged and written down: a URL without user name and password.
    package var shownLocation: String {
        guard isURL, let start = location.firstRange(of: "://")?.upperBound else { return location }
        let authority = location[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return location }
        return String(location[..<start] + location[location.index(after: at)...])
    }

    /// Whether the location is a URL rather than a file's path: it begins with a scheme (RFC 3986, section 3.1) and
    /// `://`.
    package var isURL: Bool {
        guard let colon = location.firstRange(of: "://") else { return false }
        let scheme = location[..<colon.lowerBound].utf8
        guard let first = scheme.first, isASCIILetter(first) else { return false }
        return scheme.allSatisfy { byte in
            isASCIILetter(byte) || (0x30...0x39).contains(byte) || byte == 0x2b || byte == 0x2d || byte == 0x2e
        }
    }
}

private func isASCIILetter(_ byte: UInt8) -> Bool {
    (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
}
