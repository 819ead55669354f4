extension MPDDraft {
    /// MPD's listeners; every address when none is configured.
    func mpdListeners(_ reading: inout Reading) -> [Located<Listener>] {
        guard !addresses.isEmpty else { return [Located(line: nil, value: Listener(tcp(nil)))] }
        return addresses.compactMap { address in
            let place = self.address(address.value, reading)
            if let fault = place.fault {
                reading.error(address.line, "\"bind_to_address\" cannot be \(quoted(address.value)): \(fault)")
                return nil
            }
            return Located(line: address.line, value: Listener(place))
        }
    }

    private func address(_ text: String, _ reading: Reading) -> Listener.Address {
        if text.hasPrefix("/") || text.hasPrefix("~") {
            // MPD's sockets are open to all accounts of the machine.
            return .unix(path: reading.path(text), mode: 0o666)
        }
        if text.hasPrefix("@") { return .abstract(name: String(text.dropFirst())) }
        if text == "any" { return tcp(nil) }
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            let rest = text[text.index(after: end)...]
            let port = rest.hasPrefix(":") ? UInt16(rest.dropFirst()) : nil
            return tcp(String(text[..<end].dropFirst()), port)
        }
        return tcp(text)
    }

    private func tcp(_ host: String?, _ port: UInt16? = nil) -> Listener.Address {
        // The hosts that stand for every address.
        let isAny = host == "::" || host == "*"
        return .tcp(host: isAny ? nil : host, port: port ?? self.port ?? Listener.standardPort)
    }
}
