package import AudioTypes
package import Authorization
package import Cryptography
internal import LineProtocol
package import Settings

/// A named client, and how a connection has proved to be its own.
package struct Login: Sendable, Hashable {
    package enum Proof: Sendable, Hashable {
        case password(PasswordHash)
        /// Of the token of a paired client.
        case token(Digest)
        /// Of an authority that the configuration names.
        case certificate
    }

    package let name: ClientName
    package let proof: Proof

    package init(name: ClientName, proof: Proof) { (self.name, self.proof) = (name, proof) }
}

/// A client's identity and rights.
package struct ClientIdentity {
    package private(set) var principal: Principal
    package let place: ClientPlace
    /// The name that the client has proved to have.
    package private(set) var login: Login?
    /// The addresses that are fetched from for it.
    package private(set) lazy var reach = NetworkReach(of: principal.origin)
    /// How many passwords of the client were wrong since the last right one.
    package private(set) var wrongPasswords = 0
    /// The client's rights, and the change of rights as of which they hold.
    private var known: (rights: Rights, generation: Int)?

    package init(_ principal: Principal) {
        self.principal = principal
        place = ClientPlace(principal)
    }

    /// The principal whose grants hold; `nil` for a client whose rights come from a configured password, or that the
    /// system does not identify.
    package var id: PrincipalID? {
        if let login { return .named(login.name) }
        if principal.password != nil { return nil }
        switch principal.origin {
        case .unix: return principal.peer.map { .user($0.uid) }
        case .network(let address, _): return .address(address)
        }
    }

    /// The name in messages and in rules on sessions.
    package var name: String { login?.name.text ?? principal.name }

    /// Whether the client acts for the user who runs the server, or for root, and not for a named client.
    package var isOwner: Bool { principal.isOwner && login == nil }

    /// The client's rights; looked up once for each generation of rights.
    package mutating func rights(from grants: GrantService) -> Rights {
        if let known, known.generation == grants.generation { return known.rights }
        let rights = grants.rights(of: self)
        known = (rights, grants.generation)
        return rights
    }

    /// The rights that were looked up last.
    package var lastRights: Rights? { known?.rights }

    /// Lets a password count, from now on.
    package mutating func logIn(with password: Password) {
        principal.password = password.text
        login = nil
        loggedIn()
    }

    /// Lets the client act for a named one, from now on.
    package mutating func logIn(as login: Login) {
        principal.password = nil
        self.login = login
        loggedIn()
    }

    private mutating func loggedIn() {
        wrongPasswords = 0
        known = nil
    }

    package mutating func passwordWasWrong() { wrongPasswords += 1 }
}
