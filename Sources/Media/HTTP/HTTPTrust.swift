internal import AudioTypes

/// Why the addresses of a request need not be checked.
enum HTTPTrust: Sendable, Hashable {
    /// They are checked.
    case none
    /// Everything may be requested from the host.
    case host
    /// This URL may be fetched, but not every URL of its host.
    case url

    init(_ access: NetworkAccess, _ address: WebAddress) {
        if access.reach == .anywhere || access.policy.trusts(host: address.host) {
            self = .host
        } else {
            self = access.policy.prefixes.contains { address.begins(with: $0) } ? .url : .none
        }
    }
}

extension WebAddress {
    /// Whether the URL has a prefix, with the same host and port, and does not leave its folder.
    fileprivate func begins(with prefix: String) -> Bool {
        guard let start = try? WebAddress(prefix), scheme == start.scheme, host == start.host, port == start.port,
            text.hasPrefix(start.text)
        else { return false }
        let path = text.prefix { $0 != "?" }.lowercased()
        return !path.contains("..") && !path.contains("%2e") && !path.contains("\\") && !path.contains("%5c")
    }
}
