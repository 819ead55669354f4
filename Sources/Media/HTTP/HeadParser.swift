internal import Charsets

/// Collects a response's header lines into a head.
struct HeadParser {
    /// Limit of all header bytes; more indicates an attack.
    static let limit = 64 << 10

    private(set) var head = HTTPHead()
    /// The reason phrase after the status.
    private(set) var phrase = ""
    /// The target of a redirection.
    private(set) var location: String?
    /// Whether the empty line at the end has arrived; later lines are trailers.
    private(set) var isComplete = false
    /// Whether the response states the range of its body.
    private(set) var namesPart = false
    private var bytes = 0
    private var contentLength: Int?
    /// The known content encodings (RFC 9110); other values that servers send have no meaning.
    private static let packings: Set = ["gzip", "x-gzip", "deflate", "compress", "x-compress", "br", "zstd"]

    /// Consumes a line.
    ///
    /// - Returns: Whether the limit is kept.
    mutating func parse(_ line: some Collection<UInt8>) -> Bool {
        bytes += line.count
        guard bytes <= Self.limit else { return false }
        guard !isComplete else { return true }
        let known = String(validating: Array(line), as: UTF8.self)
        let text = (known ?? Charset.windows1252.text(Array(line))).trimmed
        if text.isEmpty {
            if head.status >= 200 { finish() }
        } else if isStatusLine(text) {
            begin(text)
        } else if let colon = text.firstIndex(of: ":") {
            let value = String(text[text.index(after: colon)...]).trimmed
            let name = text[..<colon].lowercased()
            parseField(name, value)
            if known == nil, name.hasPrefix("icy-") { head.undeclared[name] = Charset.windows1252.bytes(of: value) }
        }
        return true
    }

    private func isStatusLine(_ text: String) -> Bool { text.hasPrefix("HTTP/") || text.hasPrefix("ICY ") }

    /// Starts another head, after an interim one.
    private mutating func begin(_ text: String) {
        let words = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: true)
        head = HTTPHead()
        head.status = words.count > 1 ? Int(words[1]) ?? 0 : 0
        phrase = words.count > 2 ? String(words[2].prefix(80)) : ""
        location = nil
        namesPart = false
        contentLength = nil
    }

    private mutating func parseField(_ name: String, _ value: String) {
        switch name {
        case "content-type": head.contentType = value
        case "content-length": contentLength = Self.byteCount(value)
        case "content-range": parseRange(value)
        case "content-encoding": head.isPacked = isPacking(value)
        case "transfer-encoding": head.isChunked = value.lowercased().contains("chunked")
        case "accept-ranges":
            let unit = value.lowercased()
            head.acceptsRanges = unit.contains("bytes") ? true : unit == "none" ? false : nil
        case "etag": head.entityTag = value
        case "last-modified": head.lastModified = value
        case "location": location = value
        case "date": head.date = secondsSince1970(value)
        default: if name.hasPrefix("icy-") { head.icy[name] = value }
        }
    }

    private func isPacking(_ value: String) -> Bool {
        value.lowercased().split(separator: ",").contains { Self.packings.contains(String($0).trimmed) }
    }

    /// A number of bytes or an offset; `nil` when invalid, and from 2^60 on, an exbibyte.
    private static func byteCount(_ text: some StringProtocol) -> Int? {
        Int(text).flatMap { (0..<1 << 60).contains($0) ? $0 : nil }
    }

    /// `bytes 100-199/1000`, `bytes 100-199/*`, `bytes */1000`.
    private mutating func parseRange(_ value: String) {
        guard value.lowercased().hasPrefix("bytes") else { return }
        let parts = value.dropFirst(5).drop { $0 == " " || $0 == "=" }.split(separator: "/", maxSplits: 1)
        guard parts.count == 2 else { return }
        head.size = Self.byteCount(parts[1])
        let ends = parts[0].split(separator: "-", maxSplits: 1).compactMap(Self.byteCount)
        guard ends.count == 2, ends[1] >= ends[0] else { return }
        namesPart = true
        head.start = ends[0]
        head.length = ends[1] - ends[0] + 1
    }

    private mutating func finish() {
        isComplete = true
        if !head.isChunked, let contentLength { head.length = contentLength }
        if head.isPacked {
            head.length = nil
            head.start = 0
            head.size = nil
            head.acceptsRanges = false
        } else if head.status == 206 {
            head.acceptsRanges = true
        } else {
            head.start = 0
            if head.status < 300 { head.size = head.length }
        }
        // Some broadcasts declare a length, of 54,000,000 or 2,147,483,647 bytes, because a client once needed one.
        if !head.icy.isEmpty, head.acceptsRanges != true { head.size = nil }
    }
}

extension HeadParser {
    /// Adds the fields known to libcurl.
    mutating func record(url: String, serverAddress: String?) {
        head.url = url
        head.serverAddress = serverAddress
    }
}

extension String {
    /// Without spaces, tabs and line ends around it.
    var trimmed: String {
        let isBlank: (Unicode.Scalar) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" || $0 == "\n" }
        let scalars = unicodeScalars.drop(while: isBlank)
        guard let last = scalars.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(scalars[...last])
    }
}
