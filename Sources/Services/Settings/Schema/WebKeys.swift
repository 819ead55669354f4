internal import AudioTypes
internal import ValueText

extension Schema {
    /// The keys of `[web]`: the server by HTTP.
    static let web: [Setting<WebDraft>] = [
        listen(\.listeners),
        Setting("names", names, \.settings.names),
        Setting("origins", origins, \.settings.origins),
        Setting("proxies", proxies, \.settings.proxies),
        Setting("metrics", .truth, \.settings.hasMetrics),
    ]

    private static let names = SettingType<Set<HostAndPort.Host>>("a list of names and addresses of this machine") {
        (node, _) throws(ArgumentProblem) in
        guard let words = node.texts else { return nil }
        var names: Set<HostAndPort.Host> = []
        for word in words {
            guard let name = HostAndPort.Host(word) else {
                throw ArgumentProblem("\(quoted(word)) is neither the name of a host nor an address")
            }
            names.insert(name)
        }
        return names
    }

    private static let origins = SettingType<Set<WebOrigin>>("a list of origins such as [\"https://example.org\"]") {
        (node, _) throws(ArgumentProblem) in
        guard let words = node.texts else { return nil }
        var origins: Set<WebOrigin> = []
        for word in words {
            guard let origin = WebOrigin(word) else {
                throw ArgumentProblem(
                    "\(quoted(word)) is not an origin, http://HOST or https://HOST:PORT without a path"
                )
            }
            origins.insert(origin)
        }
        return origins
    }

    private static let proxies = SettingType<TrustedProxies>(
        "a list of addresses, networks, and users such as \"uid 33\""
    ) { (node, _) throws(ArgumentProblem) in
        guard let words = node.texts else { return nil }
        var proxies = TrustedProxies()
        for word in words {
            if let range = AddressRange(word) {
                proxies.addresses.append(range)
            } else if word.hasPrefix("uid "), let user = UInt32(word.dropFirst(4)) {
                proxies.users.insert(user)
            } else {
                throw ArgumentProblem("\(quoted(word)) is neither an address, nor a network, nor \"uid NUMBER\"")
            }
        }
        return proxies
    }
}
