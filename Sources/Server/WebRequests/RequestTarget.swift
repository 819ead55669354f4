internal import NIOHTTP1
internal import TextEncodings

/// The target of a request: a path and a query, and a host where it is a whole address (RFC 9112, section 3.2).
struct RequestTarget: Sendable, Hashable {
    let authority: String?
    let path: String
    private let query: [Substring]

    init(_ uri: String) throws(WebRefusal) {
        var rest = uri[...]
        if let start = ["http://", "https://"].first(where: { uri.lowercased().hasPrefix($0) }) {
            rest = rest.dropFirst(start.count)
            let end = rest.firstIndex { $0 == "/" || $0 == "?" } ?? rest.endIndex
            authority = String(rest[..<end])
            rest = rest[end...]
        } else {
            authority = nil
        }
        guard rest.hasPrefix("/") || authority != nil else { throw .malformed }
        let parts = rest.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        path = parts.first.map { $0.isEmpty ? "/" : String($0) } ?? "/"
        query = parts.count == 2 ? parts[1].split(separator: "&") : []
    }

    /// The values of a key of the query, in the form that HTML's forms have (URL Standard, section 5.1).
    func values(of key: String) throws(WebRefusal) -> [String] {
        var values: [String] = []
        for pair in query where pair.hasPrefix(key + "=") {
            let value = pair.dropFirst(key.count + 1).utf8.map { $0 == UInt8(ascii: "+") ? UInt8(ascii: " ") : $0 }
            guard let bytes = ByteEscape.percent.decode(value),
                let text = String(validating: bytes, as: UTF8.self)
            else { throw WebRefusal(.badRequest, "The value of \(key) in the address is not one.") }
            values.append(text)
        }
        return values
    }

    /// The value of a key that the query may have once.
    func value(of key: String) throws(WebRefusal) -> String? {
        let values = try values(of: key)
        guard values.count < 2 else { throw WebRefusal(.badRequest, "The address gives \(key) more than once.") }
        return values.first
    }
}
