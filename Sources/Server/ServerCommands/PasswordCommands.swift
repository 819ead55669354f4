internal import AudioTypes
internal import Authorization
internal import LineProtocol
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import Settings

/// The password of a connection (the manual's section "Connection settings"), and what stands for it in addresses.
let passwordCommands: [Row<AccessServices>] = [
    Row("password", nil, library: .nothing, .text("PASSWORD")) { request, word in try request.give(password: word) }
        .notForSchedules(),
    .plain("ticket", nil, library: .nothing, reply: .records(.ticket)) { request in request.makeTicket() }
        .notForSchedules(),
]

extension Request<AccessServices> {
    /// How many wrong passwords end a connection.
    private static let mostWrongPasswords = 3

    fileprivate func give(password text: String) throws -> Outcome {
        try throttled { () throws(AckError) in try check(text) }
    }

    fileprivate func makeTicket() {
        reply.line("ticket", services.tickets.make(for: client.id, at: hostTime))
        reply.line("expires", Int(saturating: Tickets.lifetime))
    }

    /// Looks at a password or another secret, at once or when those who gave wrong ones have waited.
    func throttled(_ check: @escaping () throws(AckError) -> Outcome) throws -> Outcome {
        guard let seconds = services.passwords.begin(client.place, at: hostTime) else {
            try refuse(
                AckError(
                    .system,
                    "too many wrong passwords or invitations from \(client.principal.name); try again later"
                )
            )
        }
        return try wait(seconds, then: check)
    }

    private func check(_ text: String) throws(AckError) -> Outcome {
        guard let password = configuration.access.password(matching: text) else { return try check(named: text) }
        services.passwords.succeed(client.place)
        client.identity.logIn(with: password)
        if let zone = password.zone.flatMap(rooms.zone(named:)) { self.zone = zone }
        return .done
    }

    /// Checks the password of a named client on a thread of its own, which takes as long whether the name is known or not.
    private func check(named text: String) throws(AckError) -> Outcome {
        guard let given = ClientPassword(text) else { try refuseWrong() }
        let known = services.grants.store[.named(given.name)]?.password
        return try perform(on: .passwords) {
            (known ?? PasswordHash.decoy)?.matches(given.secret) ?? false
        } then: { isRight in
            guard isRight, let known, services.grants.store[.named(given.name)]?.password == known else {
                try refuseWrong()
            }
            services.passwords.succeed(client.place)
            client.identity.logIn(as: Login(name: given.name, proof: .password(known)))
            client.enterPermittedZone(in: rooms)
            return .done
        }
    }

    func refuseWrong(_ text: String = "incorrect password") throws(AckError) -> Never {
        report()
        try refuse(AckError(.wrongPassword, text))
    }

    private func refuse(_ error: AckError) throws(AckError) -> Never {
        client.identity.passwordWasWrong()
        context.endsAfterReply = client.identity.wrongPasswords >= Self.mostWrongPasswords
        throw error
    }

    private func report() {
        guard let count = services.passwords.fail(client.place, at: hostTime) else { return }
        log(
            .warning,
            "\(count == 1 ? "a wrong password" : "\(count) wrong passwords") from \(client.principal.name)"
        )
    }
}
