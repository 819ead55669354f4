internal import Charsets

/// The head of a response.
package struct HTTPHead: Sendable, Hashable {
    package var status = 0
    /// The final URL after redirections, without user name and password.
    package var url = ""
    /// The server's numeric address.
    package var serverAddress: String?
    /// As sent: "audio/mpeg; charset=…".
    package var contentType: String?
    /// Bytes of the whole resource; `nil` when unknown, as for a live stream.
    package var size: Int?
    /// The offset in the resource at which the body starts: 0, or the start of the range sent.
    package var start = 0
    /// Bytes of this body; `nil` when unknown.
    package var length: Int?
    /// Whether range requests are supported: `true` if the server declares so or has just sent a range, `nil` if
    /// unknown.
    package var acceptsRanges: Bool?
    package var entityTag: String?
    package var lastModified: String?
    /// The server's time of day, in seconds since 1970.
    package var date: Double?
    /// Whether the body has chunked encoding.
    package var isChunked = false
    /// Whether the body is compressed: offsets and lengths are not those of its content.
    package var isPacked = false
    /// The headers of SHOUTcast servers, names in lower case: `icy-name`, `icy-br`, `icy-metaint` and so on.
    package var icy: [String: String] = [:]
    /// The bytes of those that are not UTF-8; they are read as Windows-1252 first.
    var undeclared: [String: [UInt8]] = [:]

    package init() {}

    /// Whether it is a broadcast: without an end, and each listener gets the current part.
    package var isLive: Bool {
        guard size == nil else { return false }
        return !icy.isEmpty || !isChunked && !isPacked && acceptsRanges != true
    }

    /// Reads the server's words about a broadcast again, in the character set that a station's texts are in.
    mutating func readUndeclared(_ texts: inout UndeclaredText) {
        for (_, bytes) in undeclared.sorted(by: { $0.key < $1.key }) { texts.add(bytes[...]) }
        _ = texts.judge()
        for (name, bytes) in undeclared { icy[name] = texts.text(bytes[...]) }
    }

    /// Whether a later response is for the same, unchanged resource, as far as both tell.
    func isSame(as later: HTTPHead) -> Bool {
        if let size, let other = later.size, size != other { return false }
        if let tag = entityTag, let other = later.entityTag { return Self.isSameTag(tag, other) }
        if let date = lastModified, let other = later.lastModified { return date == other }
        return true
    }

    /// The weak comparison of RFC 9110: some servers or proxies mark a tag as weak, others do not.
    private static func isSameTag(_ one: String, _ other: String) -> Bool {
        one.trimmingPrefix("W/") == other.trimmingPrefix("W/")
    }
}

/// A byte range: from `first` to `last`, or to the end.
package struct HTTPRange: Sendable, Hashable {
    package var first: Int
    /// `nil` is the end.
    package var last: Int?
    /// The version of the resource when it was opened; if it has changed, the server sends the whole new one instead.
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
