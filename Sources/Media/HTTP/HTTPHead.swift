/// What a server says before the body.
package struct HTTPHead: Sendable, Hashable {
    package var status = 0
    /// Where the redirections ended, without user name and password.
    package var url = ""
    /// The server's numeric address.
    package var serverAddress: String?
    /// As sent: "audio/mpeg; charset=…".
    package var contentType: String?
    /// Bytes of the whole resource; `nil` when it was not said, as for what has no end.
    package var size: Int?
    /// The place in the resource at which the body begins: 0, or where the range that was sent begins.
    package var start = 0
    /// Bytes of this body; `nil` when it was not said.
    package var length: Int?
    /// Whether parts of it can be asked for: `true` when the server says so or has just sent one, `nil` when it says
    /// nothing.
    package var acceptsRanges: Bool?
    package var entityTag: String?
    package var lastModified: String?
    /// The server's time of day, in seconds since 1970.
    package var date: Double?
    /// Whether the body says itself where it ends.
    package var isChunked = false
    /// Whether the body is compressed: places and lengths are not those of what is in it.
    package var isPacked = false
    /// What SHOUTcast's servers say, names in lower case: `icy-name`, `icy-br`, `icy-metaint` and so on.
    package var icy: [String: String] = [:]

    package init() {}

    /// Whether it is a broadcast: without an end, and each listener gets what is on now.
    package var isLive: Bool {
        guard size == nil else { return false }
        return !icy.isEmpty || !isChunked && !isPacked && acceptsRanges != true
    }

    /// Whether a later answer is about the same resource, unchanged, as far as both say.
    func isSame(as later: HTTPHead) -> Bool {
        if let size, let other = later.size, size != other { return false }
        if let tag = entityTag, let other = later.entityTag { return Self.isSameTag(tag, other) }
        if let date = lastModified, let other = later.lastModified { return date == other }
        return true
    }

    /// As weakly as RFC 9110 allows: servers mark a tag as weak, and others in front of them do or do not.
    private static func isSameTag(_ one: String, _ other: String) -> Bool {
        one.trimmingPrefix("W/") == other.trimmingPrefix("W/")
    }
}

/// Bytes that are asked for: from `first` to `last`, or to the end.
package struct HTTPRange: Sendable, Hashable {
    package var first: Int
    /// `nil` is the end.
    package var last: Int?
    /// What the resource was when it was begun; a server that has another one now sends all of that instead.
    package var validator: String?

    package init(first: Int, last: Int? = nil, validator: String? = nil) {
        self.first = first
        self.last = last
        self.validator = validator
    }
}

/// A small resource in full.
package struct HTTPDocument: Sendable, Hashable {
    package var head: HTTPHead
    package var bytes: [UInt8]

    package init(head: HTTPHead, bytes: [UInt8]) {
        self.head = head
        self.bytes = bytes
    }
}
