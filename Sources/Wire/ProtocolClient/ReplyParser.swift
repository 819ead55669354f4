/// A line of a reply: `key: value`.
package struct Pair: Sendable, Hashable {
    package var key: String
    package var value: String

    package init(_ key: String, _ value: String) {
        self.key = key
        self.value = value
    }
}

/// Parses a server's output, in pieces of any size.
package struct ReplyParser: Sendable {
    package enum Item: Sendable, Hashable {
        case pair(Pair)
        case binary([UInt8])
        /// The end of one command's reply in a list.
        case listOK
        /// The end.
        case ok
        case refused(Refusal)
    }

    /// A line outside of the protocol.
    package struct Malformed: Error, Sendable, Hashable {
        package let line: String
    }

    /// MPD's lines have at most 4,096 bytes; this leaves room for other servers.
    private static let longestLine = 1 << 20
    private static let longestBinary = 1 << 28

    private var bytes: [UInt8] = []
    /// The bytes before this offset have been consumed.
    private var start = 0
    /// There is no line feed before this offset.
    private var searched = 0
    /// The number of bytes of binary data that come next.
    private var binaryLength: Int?

    package init() {}

    package mutating func receive(_ piece: some Collection<UInt8>) {
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            (start, searched) = (0, 0)
        } else if start > 1 << 16, start > bytes.count / 2 {
            bytes.removeFirst(start)
            searched -= start
            start = 0
        }
        bytes.append(contentsOf: piece)
    }

    /// The next line without its line feed; `nil` until it is complete.
    package mutating func nextLine() throws(Malformed) -> String? {
        guard let range = try lineRange() else { return nil }
        return String(decoding: bytes[range], as: UTF8.self)
    }

    /// The next part of a reply; `nil` when more bytes are needed.
    package mutating func next() throws(Malformed) -> Item? {
        if let length = binaryLength { return try binary(length) }
        guard let range = try lineRange() else { return nil }
        let line = bytes[range]
        if line.elementsEqual("OK".utf8) { return .ok }
        if line.elementsEqual("list_OK".utf8) { return .listOK }
        if line.starts(with: "ACK ".utf8) {
            let text = String(decoding: line, as: UTF8.self)
            guard let refusal = Refusal(parsing: text) else { throw Malformed(line: text) }
            return .refused(refusal)
        }
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")), colon > line.startIndex else {
            throw malformed(range)
        }
        let key = String(decoding: line[..<colon], as: UTF8.self)
        var value = line[(colon + 1)...]
        if value.first == UInt8(ascii: " ") { value = value.dropFirst() }
        let pair = Pair(key, String(decoding: value, as: UTF8.self))
        guard key == "binary" else { return .pair(pair) }
        guard let length = Int(pair.value), (0...Self.longestBinary).contains(length) else { throw malformed(range) }
        binaryLength = length
        return try binary(length)
    }

    private mutating func binary(_ length: Int) throws(Malformed) -> Item? {
        guard bytes.count - start > length else { return nil }
        guard bytes[start + length] == UInt8(ascii: "\n") else { throw malformed(start..<(start + length)) }
        defer {
            start += length + 1
            searched = start
            binaryLength = nil
        }
        return .binary(Array(bytes[start..<(start + length)]))
    }

    private mutating func lineRange() throws(Malformed) -> Range<Int>? {
        guard let end = bytes[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = bytes.count
            if bytes.count - start > Self.longestLine { throw malformed(start..<bytes.count) }
            return nil
        }
        defer {
            start = end + 1
            searched = start
        }
        return start..<end
    }

    private func malformed(_ range: Range<Int>) -> Malformed {
        Malformed(line: String(decoding: bytes[range].prefix(80), as: UTF8.self))
    }
}
