internal import AudioTypes
internal import LineProtocol
internal import ValueText

extension Schema {
    /// `listen`: a list of addresses, or of tables with further settings.
    static func listen<Target>(
        _ place: any WritableKeyPath<Target, [Located<Listener>]?> & Sendable
    ) -> Setting<Target> {
        Setting(
            "listen",
            expected: "an address or a list of addresses",
            inner: listener.qualifiedNames()
        ) { node, target, reading in
            let nodes: [Node]
            switch node.value {
            case .list(let elements): nodes = elements
            default: nodes = [node]
            }
            target[keyPath: place] = nodes.compactMap { node in
                var listener: Listener?
                if case .table = node.value {
                    var table = ListenerDraft()
                    Schema.listener.read(node, named: "listen", into: &table, &reading)
                    listener = table.finished(node, &reading)
                } else {
                    listener = address.value(of: node, named: "listen", &reading)
                }
                listener?.resolve(reading)
                return listener.map { Located(line: node.line, value: $0) }
            }
        }
    }

    private static let address = SettingType("an address such as \"tcp:127.0.0.1:6600\"") {
        (text: String) throws(ArgumentProblem) in try Listener(parsing: text)
    }

    private static let listener: [Setting<ListenerDraft>] = [
        Setting("address", address) {
            $0.address = $1.address
            $0.zone = $1.zone ?? $0.zone
        },
        Setting("mode", fileMode, \.mode),
        Setting("zone", .name, \.zone),
        Setting("permissions", .permissions, \.permissions),
    ]

    private static let fileMode = SettingType<UInt32>("a file mode such as \"0660\"") { node, _ in
        switch node.value {
        case .text(let text):
            let digits = text.hasPrefix("0o") ? text.dropFirst(2) : text[...]
            return UInt32(digits: digits.utf8, radix: 8).flatMap { $0 <= 0o777 ? $0 : nil }
        // TOML's octal numbers, such as 0o660, arrive as integers; so would a decimal 660 meant as octal, so integers
        // are refused.
        case .integer(let number):
            return [0o600, 0o660, 0o666, 0o700, 0o770, 0o777].contains(number) ? UInt32(number) : nil
        default: return nil
        }
    }

    static let password: [Setting<PasswordDraft>] = [
        Setting("password", passwordText, \.text),
        Setting("permissions", .permissions, \.permissions),
        Setting("zone", .name, \.zone),
    ]

    private static let passwordText = SettingType("a string that is not empty, on one line") { (text: String) in
        !text.isEmpty && text.utf8.allSatisfy { $0 >= 0x20 } ? text : nil
    }

    static let host: [Setting<HostDraft>] = [
        Setting("address", range, \.addresses),
        Setting("permissions", .permissions, \.permissions),
    ]

    static let range = SettingType("an address or a network such as \"192.168.1.0/24\"") { (text: String) in
        AddressRange(text)
    }
}

extension Listener {
    /// Makes the path of a socket absolute.
    mutating func resolve(_ reading: Reading) {
        if case .unix(let path, let mode) = address { address = .unix(path: reading.path(path), mode: mode) }
    }
}

extension ListenerDraft {
    func finished(_ node: Node, _ reading: inout Reading) -> Listener? {
        guard var address else {
            // An address that was present but invalid has been reported already.
            if !node.has("address") { reading.error(node.line, "a [[listen]] table needs an \"address\"") }
            return nil
        }
        if let mode {
            guard case .unix(let path, _) = address else {
                reading.error(node.line, "\"mode\" goes with unix: sockets only, not with \(address)")
                return nil
            }
            address = .unix(path: path, mode: mode)
        }
        return Listener(address, zone: zone, permissions: permissions)
    }
}

extension PasswordDraft {
    func finished(_ node: Node, _ reading: inout Reading) -> Password? {
        if text == nil, !node.has("password") {
            reading.error(node.line, "a [[password]] table needs a \"password\"")
        }
        return text.map { Password($0, permissions: permissions, zone: zone) }
    }
}

extension HostDraft {
    func finished(_ node: Node, _ reading: inout Reading) -> HostRule? {
        for name in ["address", "permissions"] where !node.has(name) {
            reading.error(node.line, "a [[host]] table needs \"\(name)\"")
        }
        guard let addresses, let permissions else { return nil }
        return HostRule(addresses, permissions: permissions)
    }
}

extension Node {
    /// Whether this is a table with that key.
    func has(_ key: String) -> Bool {
        guard case .table(let entries) = value else { return false }
        return entries.contains { $0.key == key }
    }
}
