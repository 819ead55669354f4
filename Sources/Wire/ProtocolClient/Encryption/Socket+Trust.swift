private import Glibc

extension Socket {
    /// Encrypts the connection to an address that asks for it, and makes sure that the server is the one that is known.
    ///
    /// - Returns: The server's pin, and whether it was not known before; it is from now on. `nil` without encryption.
    mutating func encrypt(
        to address: ServerAddress,
        _ choice: ServerChoice
    ) throws(RemoteError) -> (pin: String, isNew: Bool)? {
        guard case .encrypted(let host, let port) = address else { return nil }
        let path = choice.folder.map { $0 + "/client.pem" }
        let certificate = path.flatMap { unsafe access($0, R_OK) == 0 ? $0 : nil }
        let pin: String
        do {
            pin = try encrypt(for: host, certificate: certificate)
        } catch {
            throw .notTrusted(address, reason: error.reason)
        }
        if let expected = choice.pin {
            guard pin == expected else { throw .notTrusted(address, reason: Self.otherPin(pin, expected, "the link")) }
        }
        guard let folder = choice.folder else {
            if choice.pin != nil { return (pin, false) }
            throw .notTrusted(address, reason: "there is no folder to remember its certificate in (set HOME)")
        }
        let known = KnownServers(folder: folder)
        let server = ServerAddress.place(host, port)
        do {
            guard let entry = try known.pin(of: server) else {
                try known.remember(server, pin)
                return (pin, true)
            }
            guard entry.pin == pin else {
                let place = "line \(entry.line) of \(known.path)"
                throw RemoteError.notTrusted(address, reason: Self.otherPin(pin, entry.pin, place))
            }
            return (pin, false)
        } catch let error as KnownServers.Problem {
            throw .notTrusted(address, reason: error.reason)
        } catch {
            throw error as? RemoteError ?? .notTrusted(address, reason: "\(error)")
        }
    }

    private static func otherPin(_ pin: String, _ expected: String, _ place: String) -> String {
        "it has the certificate \(pin), not \(expected) as in \(place). Another machine may answer in its place. "
            + "If the server has a new certificate, which it logs at its start, remove the old one from there"
    }
}
