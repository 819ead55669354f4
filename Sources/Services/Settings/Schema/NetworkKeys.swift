internal import AudioTypes
internal import ValueText

extension Schema {
    /// The keys of `[network]`: fetches on behalf of clients.
    static let network: [Setting<NetworkPolicy>] = [
        Setting("allow", allow) {
            $0.ranges = $1.ranges
            $0.hosts = $1.hosts
        },
        Setting("protocols", protocols, \.protocols),
    ]

    private struct Allowed: Sendable {
        var ranges: [AddressRange] = []
        var hosts: Set<String> = []
    }

    private static let allow = SettingType<Allowed>("a list of addresses, networks and names of hosts") {
        (node, _) throws(ArgumentProblem) in
        guard let words = node.texts else { return nil }
        var allowed = Allowed()
        for word in words {
            if let range = AddressRange(word) {
                allowed.ranges.append(range)
            } else if isHostName(word) {
                allowed.hosts.insert(word.lowercased())
            } else {
                throw ArgumentProblem("\(quoted(word)) is neither an address, nor a network, nor a host's name")
            }
        }
        return allowed
    }

    /// Whether a word is a host name: letters, digits, hyphens and points, but not a malformed IPv4 address (RFC 1123).
    private static func isHostName(_ word: String) -> Bool {
        let labels = word.split(separator: ".", omittingEmptySubsequences: false)
        return word.utf8.count <= 253 && !(labels.last?.allSatisfy(\.isNumber) ?? true)
            && labels.allSatisfy { label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { $0 == 0x2d || $0 >= 0x80 || isASCIIAlphanumeric($0) }
            }
    }

    private static func isASCIIAlphanumeric(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5a).contains(byte) || (0x61...0x7a).contains(byte)
    }

    private static let protocols = SettingType<Set<String>>("a list of schemes such as [\"rtsp\", \"srt\"]") {
        (node, _) throws(ArgumentProblem) in
        guard let words = node.texts else { return nil }
        for word in words where !NetworkPolicy.optionalProtocols.contains(word) {
            let known = NetworkPolicy.optionalProtocols.joined(separator: ", ")
            throw ArgumentProblem("\(quoted(word)) is not one of \(known)")
        }
        return Set(words)
    }
}
