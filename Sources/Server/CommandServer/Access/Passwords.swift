internal import AudioTypes
internal import Authorization
internal import LineProtocol
internal import ServerBasics
internal import ServerRights
internal import ServerRooms
internal import Settings

extension Client {
    /// How many wrong passwords end a connection.
    private static let mostWrongPasswords = 3

    /// Takes a password, at once or when those who gave wrong ones have waited.
    func give(password text: String) throws(AckError) -> Outcome {
        guard let wait = server.passwords.begin(place, at: server.loop.hostTime.seconds) else {
            try refuse(AckError(.wrongPassword, "too many wrong passwords from \(principal.name); try again later"))
        }
        guard wait > 0 else { return try check(text) }
        return server.jobs.wait(for: self, seconds: wait) { [unowned self] in try check(text) }
    }

    /// Looks at another secret as at a password: those who gave wrong ones wait.
    func throttled(_ check: @escaping () throws(AckError) -> Outcome) throws(AckError) -> Outcome {
        guard let wait = server.passwords.begin(place, at: server.loop.hostTime.seconds) else {
            try refuse(AckError(.wrongPassword, "too many wrong passwords from \(principal.name); try again later"))
        }
        guard wait > 0 else { return try check() }
        return server.jobs.wait(for: self, seconds: wait) { try check() }
    }

    private func check(_ text: String) throws(AckError) -> Outcome {
        guard let password = server.configuration.access.password(matching: text) else { return try check(named: text) }
        server.passwords.succeed(place)
        identity.logIn(with: password)
        if let zone = password.zone.flatMap(server.rooms.zone(named:)) { self.zone = zone }
        return .done
    }

    /// Checks the password of a named client on a thread of its own, which takes as long whether the name is known or not.
    private func check(named text: String) throws(AckError) -> Outcome {
        guard let given = ClientPassword(text) else { try refuseWrong() }
        let known = server.grants.book[.named(given.name)]?.password
        return try server.jobs.perform(for: self, on: .passwords) {
            (known ?? PasswordHash.decoy)?.matches(given.secret) ?? false
        } then: { [unowned self] isRight in
            guard isRight, let known, server.grants.book[.named(given.name)]?.password == known else {
                try refuseWrong()
            }
            server.passwords.succeed(place)
            identity.logIn(as: Login(name: given.name, proof: .password(known)))
            enterPermittedZone()
            return .done
        }
    }

    func refuseWrong() throws(AckError) -> Never {
        report()
        try refuse(AckError(.wrongPassword, "incorrect password"))
    }

    private func refuse(_ error: AckError) throws(AckError) -> Never {
        identity.passwordWasWrong()
        endsAfterReply = identity.wrongPasswords >= Self.mostWrongPasswords
        throw error
    }

    private func report() {
        guard let count = server.passwords.fail(place, at: server.loop.hostTime.seconds) else { return }
        server.parts.log(
            .warning,
            "\(count == 1 ? "a wrong password" : "\(count) wrong passwords") from \(principal.name)"
        )
    }
}
