/// The head of a listener's HTTP request.
///
/// A pure value.
struct ListenerRequest: Sendable, Hashable {
    enum Problem: Error, Sendable, Hashable {
        case malformed
        case tooLarge
    }

    var method: String
    /// Without a query.
    var path: String
    /// Whether the listener reads titles in the stream.
    var wantsTitles: Bool

    /// Bytes of a head at most.
    static let limit = 8_192

    /// - Returns: `nil` while the head is incomplete.
    init?(head bytes: some Collection<UInt8>) throws(Problem) {
        guard let lines = try Self.lines(of: bytes), let first = lines.first else { return nil }
        let words = first.split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), let path = Self.path(words[1]), !words[0].isEmpty else {
            throw .malformed
        }
        (method, self.path) = (String(words[0]), path)
        wantsTitles = lines.dropFirst().contains { line in
            let parts = line.split(separator: ":", maxSplits: 1)
            return parts.count == 2 && parts[0].lowercased() == "icy-metadata" && parts[1].filter { $0 != " " } == "1"
        }
    }

    private static func lines(of bytes: some Collection<UInt8>) throws(Problem) -> [Substring]? {
        // Carriage returns are optional, as most servers have it.
        let text = String(decoding: bytes.prefix(limit + 4).filter { $0 != 0x0d }, as: UTF8.self)
        guard let end = text.range(of: "\n\n") else {
            if bytes.count > limit { throw .tooLarge }
            return nil
        }
        return text[..<end].split(separator: "\n", omittingEmptySubsequences: false)
    }

    private static func path(_ target: Substring) -> String? {
        var target = target
        if target.lowercased().hasPrefix("http://") {
            target = target.dropFirst(7)
            target = target.firstIndex(of: "/").map { target[$0...] } ?? "/"
        }
        guard target.hasPrefix("/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7f }) else { return nil }
        return String(target.prefix { $0 != "?" })
    }

    /// Whether the path is that of a stream: `/`, or a name with the extension of its files.
    func asksFor(_ codec: StreamEncoding.Codec) -> Bool {
        path == "/"
            || path.dropFirst().lowercased().hasSuffix("." + codec.fileExtension) && !path.dropFirst().contains("/")
    }
}

extension String {
    /// The place before which a text ends.
    fileprivate func range(of text: String) -> String.Index? {
        var start = startIndex
        while let place = self[start...].firstIndex(of: "\n") {
            if self[place...].hasPrefix(text) { return place }
            start = index(after: place)
        }
        return nil
    }
}

/// Recognises the end of a head, an empty line, in bytes that come in parts; each byte is looked at once.
struct HeadEnd: Sendable {
    /// The line feeds that the bytes so far end with.
    private var lineFeeds = 0
    var isReached: Bool { lineFeeds == 2 }

    mutating func look(at bytes: some Sequence<UInt8>) {
        for byte in bytes where !isReached && byte != 0x0d { lineFeeds = byte == 0x0a ? lineFeeds + 1 : 0 }
    }
}
