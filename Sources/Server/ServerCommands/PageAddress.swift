internal import AudioTypes
internal import HTTP
internal import ServerNetwork
package import ServerPicker
package import Settings

/// The address of the page for browsers, up to where the name of a view follows.
package struct PageAddress: Hashable {
    /// It ends in a slash.
    let text: String

    /// - Returns: `nil` unless it is `http://HOST/` or `https://HOST/`, with a port and a path or without.
    init?(_ word: String) {
        let start = ["http://", "https://"].first { word.hasPrefix($0) }
        guard let start, word.utf8.count <= Self.mostBytes, word.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }),
            !word.contains(where: { "#?\"'\\<>".contains($0) })
        else { return nil }
        let rest = word.dropFirst(start.count)
        guard HostAndPort(rest.prefix { $0 != "/" }) != nil else { return nil }
        text = word.hasSuffix("/") ? word : word + "/"
    }

    /// The longest address that still makes a link for a QR code that phones read well.
    private static let mostBytes = 300

    /// The one by which other machines reach the page; `nil` where they do not.
    ///
    /// - Parameters:
    ///   - machine: This machine's name or address, where neither the owner nor a listener names one.
    ///   - hasCertificate: Whether browsers take the server's certificate, so that they do not warn of it.
    init?(_ settings: WebSettings, machine: String, hasCertificate: Bool) {
        let names = settings.names.compactMap { if case .name(let name) = $0 { name } else { nil } }
        let addresses = settings.names.compactMap { if case .address(let address) = $0 { "\(address)" } else { nil } }
        let open = (settings.listeners ?? WebSettings.defaultListeners).map(\.address).filter(\.isOpenToNetwork)
        let listener = open.first { $0.isEncrypted == hasCertificate } ?? open.first
        guard let listener, let (host, port) = listener.network else {
            // The server has a name but no address for other machines: they come by a proxy.
            guard let name = names.min() else { return nil }
            self.init("https://\(name)/")
            return
        }
        let own = host.flatMap { IPAddress($0)?.bytes.allSatisfy { $0 == 0 } == true ? nil : $0 }
        let (scheme, standard) = listener.isEncrypted ? ("https", 443) : ("http", 80)
        let place = Self.bracketed(names.min() ?? addresses.min() ?? own ?? machine)
        self.init("\(scheme)://\(place)\(Int(port) == standard ? "" : ":\(port)")/")
    }

    /// The one by which browsers on this machine reach the page: the same as others use, so that one that was invited is known
    /// there; `nil` without a page.
    ///
    /// - Parameter closed: Where the server could not listen.
    package init?(_ configuration: Configuration, closed: [Listener.Address]) {
        let machine = addressTowardsNetwork().map { "\($0)" } ?? hostName()
        let hasCertificate = configuration.tls.certificate != nil
        if let address = Self(configuration.web, machine: machine, hasCertificate: hasCertificate) {
            self = address
            return
        }
        let listeners = (configuration.web.listeners ?? WebSettings.defaultListeners).map(\.address)
        let open = listeners.filter { !$0.isEncrypted && !closed.contains($0) }.firstNonNil(\.network)
        guard let open, let host = open.host else { return nil }
        self.init("http://\(Self.bracketed(host)):\(open.port)/")
    }

    private static func bracketed(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }

    /// The link that opens an invitation.
    ///
    /// Its secret stands where browsers send nothing of it.
    func link(to secret: String) -> String { "\(text)#/join/\(secret)" }

    /// The link to the view where the owner answers a request.
    package func link(to request: PickerID) -> String { "\(text)#/pick/\(request)" }
}
