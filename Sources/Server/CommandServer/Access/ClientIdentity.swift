internal import AudioTypes
internal import LineProtocol
internal import Settings

/// Who a client is, and what it may do by the access rules.
struct ClientIdentity {
    private(set) var principal: Principal
    let place: ClientPlace
    /// Which addresses are fetched from for it.
    private(set) lazy var reach = NetworkReach(of: principal.origin)
    /// How many passwords of the client were wrong since the last right one.
    private(set) var wrongPasswords = 0
    /// What the client may do, and by which access rules that is so.
    private var rights: (permissions: Permissions, generation: Int)?

    init(_ principal: Principal) {
        self.principal = principal
        place = ClientPlace(principal)
    }

    /// What the client may do by rules of a generation; looked up once for each.
    mutating func permissions(by rules: AccessRules, generation: Int) -> Permissions {
        if let rights, rights.generation == generation { return rights.permissions }
        let permissions = rules.permissions(of: principal)
        rights = (permissions, generation)
        return permissions
    }

    /// Lets a password count, from now on.
    mutating func logIn(with password: Password) {
        principal.password = password.text
        wrongPasswords = 0
        rights = nil
    }

    mutating func passwordWasWrong() { wrongPasswords += 1 }
}
