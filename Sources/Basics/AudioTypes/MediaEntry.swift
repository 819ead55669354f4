/// An item to play, as given by a person or a playlist: a location, and the wanted part of it.
package struct MediaEntry: Sendable, Hashable {
    /// A file's path or a URL; `-` is standard input.
    package var location: String
    /// Other locations of the same medium, such as a station's further servers, in the order in which to try them.
    ///
    /// A reader that cannot open the location, or loses it and cannot reconnect, tries them in turn and then starts
    /// over with the location. They have the same content, so only the connection changes: the entry stays the same.
    package var alternatives: [String]
    /// The requested URL that led to the location, which was named by a playlist fetched from it; `nil`: the location
    /// was requested itself.
    package var origin: String?
    /// Where in the medium to start; `nil` is its start.
    package var start: MediaTime?
    /// Where in the medium to end; `nil` is its end.
    package var end: MediaTime?
    /// The playlist's tags for the entry.
    ///
    /// They override the medium's own tags.
    package var tags: Tags
    /// The playlist's duration for the entry; a hint until the medium is opened.
    package var duration: MediaTime?
    /// How loud the medium was measured to be, for media without corrections of their own.
    package var measuredGain = ReplayGain()
    /// The access rights for fetching it, and everything it leads to.
    package var access: NetworkAccess
    /// The path by which its file is read that is open already; `nil` to open it by its location.
    package var openFile: FilePath?

    package init(
        location: String,
        alternatives: [String] = [],
        origin: String? = nil,
        start: MediaTime? = nil,
        end: MediaTime? = nil,
        tags: Tags = Tags(),
        duration: MediaTime? = nil,
        access: NetworkAccess = NetworkAccess()
    ) {
        self.location = location
        self.alternatives = alternatives
        self.origin = origin
        self.start = start
        self.end = end
        self.tags = tags
        self.duration = duration
        self.access = access
    }

    /// Whether it is a file for a client that may have only those that everybody may read.
    package var needsPublicFile: Bool { access.reach != .anywhere && filePath != nil }

    /// The requested URL: only its server gets the credentials and headers.
    package var requestedLocation: String { origin ?? location }

    /// The location for display, logs and files: a URL without user name and password.
    package var shownLocation: String {
        guard isURL, let start = location.firstRange(of: "://")?.upperBound else { return location }
        let authority = location[start...].prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return location }
        return String(location[..<start] + location[location.index(after: at)...])
    }

    /// Whether the location is a URL rather than a file's path: it starts with a scheme (RFC 3986, section 3.1) and
    /// `://`.
    package var isURL: Bool {
        guard let colon = location.firstRange(of: "://") else { return false }
        return isURLScheme(location[..<colon.lowerBound].utf8)
    }
}
