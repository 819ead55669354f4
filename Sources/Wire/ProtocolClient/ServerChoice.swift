/// The server to use: the addresses to try in turn, and the password.
package struct ServerChoice: Sendable, Hashable {
    /// Where the address came from.
    package enum Origin: Sendable, Hashable {
        case option
        case variable(String)
        /// No address was given: the default ones are tried.
        case usualPlaces
    }

    package var addresses: [ServerAddress]
    package var password: String?
    package var origin: Origin
    /// The only certificate that an encrypted server may have; `nil` for the one that is known.
    package var pin: String?
    /// The folder of what is known of encrypted servers, and of this client's certificate; `nil` for none.
    package var folder: String?

    package init(addresses: [ServerAddress], password: String? = nil, origin: Origin) {
        self.addresses = addresses
        self.password = password
        self.origin = origin
    }

    /// Chooses by options, then SEGUE_HOST, then MPD_HOST and MPD_PORT, then the default addresses.
    ///
    /// - Parameter variable: The environment; an empty variable counts as unset.
    package init(
        host: String?,
        port: Int?,
        password: String?,
        variable: (String) -> String?
    ) throws(AddressProblem) {
        func set(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
        var environmentPort: Int?
        if let text = set("MPD_PORT") {
            do {
                environmentPort = try HostText.port(text)
            } catch {
                throw AddressProblem("MPD_PORT is '\(text)': \(error)")
            }
        }
        let usualPort = port ?? environmentPort ?? ServerAddress.usualPort
        // MPD_PORT is the port of unencrypted connections.
        let encryptedPort = port ?? ServerAddress.usualEncryptedPort
        let folder = KnownServers.folder(set)

        if let host {
            let text = try HostText(parsing: host, port: usualPort, encryptedPort: encryptedPort)
            self.init(addresses: [text.address], password: password ?? text.password, origin: .option)
            self.folder = folder
            return
        }
        for name in ["SEGUE_HOST", "MPD_HOST"] {
            guard let host = set(name) else { continue }
            do {
                let text = try HostText(parsing: host, port: usualPort, encryptedPort: encryptedPort)
                self.init(addresses: [text.address], password: password ?? text.password, origin: .variable(name))
                self.folder = folder
                return
            } catch {
                throw AddressProblem("\(name) is not a server's address: \(error)")
            }
        }
        if port != nil || environmentPort != nil {
            self.init(
                addresses: [.network(host: "localhost", port: usualPort)],
                password: password,
                origin: port != nil ? .option : .variable("MPD_PORT")
            )
            self.folder = folder
            return
        }
        self.init(
            addresses: Self.usualPlaces(runtimeFolder: set("XDG_RUNTIME_DIR")),
            password: password,
            origin: .usualPlaces
        )
        self.folder = folder
    }

    /// Segue's own sockets, then MPD's, then its port.
    package static func usualPlaces(runtimeFolder: String?) -> [ServerAddress] {
        var places: [ServerAddress] = []
        for program in ["segue", "mpd"] {
            if let runtimeFolder { places.append(.socket(path: "\(runtimeFolder)/\(program)/socket")) }
            places.append(.socket(path: "/run/\(program)/socket"))
        }
        return places + [.network(host: "localhost", port: ServerAddress.usualPort)]
    }
}

/// How long a server may take, in seconds.
package struct PatienceLimits: Sendable, Hashable {
    package var connecting: Double
    package var answering: Double

    package init(connecting: Double = 5, answering: Double = 30) {
        self.connecting = connecting
        self.answering = answering
    }

    /// MPD_TIMEOUT, in seconds; ignored unless it is a positive number, as in libmpdclient.
    package init(variable: (String) -> String?) {
        self.init()
        if let text = variable("MPD_TIMEOUT"), let seconds = Double(text), seconds > 0, seconds < 1e6 {
            self.init(connecting: seconds, answering: seconds)
        }
    }
}
