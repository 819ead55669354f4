internal import AudioTypes
internal import LineProtocol
internal import Settings

extension Client {
    /// How many wrong passwords end a connection.
    private static let mostWrongPasswords = 3

    /// Takes a password, at once or when those who gave wrong ones have waited.
    func give(password text: String) throws(AckError) -> Outcome {
        guard let wait = server.passwords.begin(place, at: HostTime.now.seconds) else {
            try refuse(AckError(.wrongPassword, "too many wrong passwords from \(principal.name); try again later"))
        }
        guard wait > 0 else { return try check(text) }
        return server.jobs.wait(for: self, seconds: wait) { [unowned self] in try check(text) }
    }

    private func check(_ text: String) throws(AckError) -> Outcome {
        guard let password = server.configuration.access.password(matching: text) else {
            report()
            try refuse(AckError(.wrongPassword, "incorrect password"))
        }
        server.passwords.succeed(place)
        identity.logIn(with: password)
        if let zone = password.zone.flatMap(server.rooms.zone(named:)) { self.zone = zone }
        return .done
    }

    private func refuse(_ error: AckError) throws(AckError) -> Never {
        identity.passwordWasWrong()
        endsAfterReply = identity.wrongPasswords >= Self.mostWrongPasswords
        throw error
    }

    private func report() {
        guard let count = server.passwords.fail(place, at: HostTime.now.seconds) else { return }
        server.parts.log(
            .warning,
            "\(count == 1 ? "a wrong password" : "\(count) wrong passwords") from \(principal.name)"
        )
    }
}
