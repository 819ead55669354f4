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
