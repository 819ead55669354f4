internal import NIOHTTP1

/// The conditions of a request, and the part that it asks for (RFC 9110, sections 13 and 14).
package struct RequestConditions: Sendable, Hashable {
    /// The entity tags that the client has; `*` is any.
    private let known: [Substring]
    private let range: ByteRange?
    private let ifRange: String?

    /// The part of a representation that is sent.
    package enum Selection: Sendable, Hashable {
        case whole
        /// The client has it.
        case notModified
        case part(Range<Int>)
        /// There is nothing where the client asks.
        case unsatisfiable
    }

    init(_ head: HTTPRequestHead) {
        known = head.headers[canonicalForm: "if-none-match"]
        let ranges = head.headers["range"]
        range = head.method == .GET && ranges.count == 1 ? ByteRange(ranges[0]) : nil
        ifRange = head.headers["if-range"].first
    }

    /// Whether the client has the representation with a tag, or, whatever it is, is content with it.
    package func isKnown(_ tag: String) -> Bool {
        known.contains { $0 == "*" || $0 == tag || $0.hasPrefix("W/") && $0.dropFirst(2) == tag }
    }

    /// Whether the first byte is among those that are asked for, whatever the size.
    package var beginsAtStart: Bool {
        guard let range else { return true }
        if case .from(0, through: _) = range { return true }
        return false
    }

    /// - Parameters:
    ///   - tag: The representation's entity tag, a strong one, in its quotation marks.
    ///   - size: The representation's, in bytes.
    package func selection(of tag: String, size: Int) -> Selection {
        if isKnown(tag) { return .notModified }
        guard let range, ifRange == nil || ifRange == tag else { return .whole }
        return range.bytes(of: size).map { .part($0) } ?? .unsatisfiable
    }
}

/// A range of bytes as a client asks for it.
private enum ByteRange: Sendable, Hashable {
    case from(Int, through: Int?)
    case last(Int)

    /// - Returns: `nil` for what is not one range of bytes: then the whole is sent.
    init?(_ field: String) {
        let parts = field.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return nil }
        let ends = parts[1].filter { $0 != " " }.split(separator: "-", omittingEmptySubsequences: false)
        guard ends.count == 2, ends.allSatisfy({ $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }) else {
            return nil
        }
        // One that no number holds is behind all bytes there are.
        let numbers = ends.map { $0.isEmpty ? nil : Int($0) ?? .max }
        switch (numbers[0], numbers[1]) {
        case (let start?, let end):
            guard end.map({ $0 >= start }) != false else { return nil }
            self = .from(start, through: end)
        case (nil, let count?): self = .last(count)
        case (nil, nil): return nil
        }
    }

    /// - Returns: `nil` where none of them is there.
    func bytes(of size: Int) -> Range<Int>? {
        switch self {
        case .from(let start, let end): start < size ? start..<min(size - 1, end ?? .max) + 1 : nil
        case .last(let count): count > 0 && size > 0 ? max(0, size - count)..<size : nil
        }
    }
}
