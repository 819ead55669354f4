/// A server's reply to one command.
package struct ServerReply: Sendable, Hashable {
    package var pairs: [Pair] = []
    package var binary: [UInt8]?

    package init(pairs: [Pair] = [], binary: [UInt8]? = nil) {
        self.pairs = pairs
        self.binary = binary
    }

    /// The first value of a key.
    package subscript(key: String) -> String? { pairs.first { $0.key == key }?.value }

    /// All values of a key.
    package func values(_ key: String) -> [String] { pairs.lazy.filter { $0.key == key }.map(\.value) }

    /// The blocks of a list, each starting with one of `keys`; lines before the first block are left out.
    package func groups(startingWith keys: Set<String>) -> [ServerReply] {
        var groups: [ServerReply] = []
        var current: [Pair] = []
        for pair in pairs {
            if keys.contains(pair.key) {
                if !current.isEmpty { groups.append(ServerReply(pairs: current)) }
                current = [pair]
            } else if !current.isEmpty {
                current.append(pair)
            }
        }
        if !current.isEmpty { groups.append(ServerReply(pairs: current)) }
        return groups
    }

    package func groups(startingWith key: String) -> [ServerReply] { groups(startingWith: [key]) }
}

/// The protocol version that a server announces.
package struct ProtocolVersion: Sendable, Hashable, Comparable, CustomStringConvertible {
    package var major: Int
    package var minor: Int
    package var patch: Int

    package init(_ major: Int, _ minor: Int, _ patch: Int) {
        self.major = major
        self.minor = minor
        self.patch = patch
    }

    /// Parses a server's first line, `OK MPD 0.24.0`.
    package init?(greeting: some StringProtocol) {
        guard greeting.hasPrefix("OK MPD ") else { return nil }
        let numbers = greeting.dropFirst(7).split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard (2...3).contains(numbers.count), let major = numbers[0], let minor = numbers[1] else { return nil }
        self.init(major, minor, numbers.count > 2 ? numbers[2] ?? 0 : 0)
    }

    package static func < (left: Self, right: Self) -> Bool {
        (left.major, left.minor, left.patch) < (right.major, right.minor, right.patch)
    }

    package var description: String { "\(major).\(minor).\(patch)" }
}
