internal import Authorization
internal import LineProtocol
internal import ServerBasics
internal import ServerPicker
internal import ServerRequests
internal import ServerRights
internal import ServerSessions
internal import ServerTimers
internal import Settings

/// The way of a request: it passes the access check, an announcement guest's view, and an alarm that rings; then its command's
/// handler carries it out.
extension ServerAssembly: ConnectionDelegate {
    func run(_ request: RequestLine, for connection: Connection) throws -> Outcome {
        guard let command = table[request.command] else {
            throw AckError(.unknownCommand, "unknown command \"\(request.command)\"")
        }
        let client = connection.client
        let rights = client.rights
        try client.require(command, with: request.arguments, rights, in: rooms)
        try command.checkLocations(request.arguments, limit: limits.maxURIBytes)
        guard let scope = rights.limits.library else {
            client.visible = nil
            return try carryOut(command, request, for: connection)
        }
        return try limitLibrary(of: connection, to: scope, for: command, request.arguments) {
            [unowned self, unowned connection] in
            try carryOut(command, request, for: connection)
        }
    }

    private func carryOut(_ command: Command, _ request: RequestLine, for connection: Connection) throws -> Outcome {
        audioSessions.speaker = connection.sessionOwner
        defer { audioSessions.speaker = nil }
        if let outcome = try guests.intercept(command.guestRequest(request.arguments), from: connection) {
            return outcome
        }
        if endsAlarm(command.alarmEffect(request.arguments), for: connection.client) { return .done }
        return try command(connection.context, request.arguments, in: services)
    }

    /// - Returns: Whether that is all that the client's request does.
    private func endsAlarm(_ effect: AlarmEffect, for client: Client) -> Bool {
        // A schedule is not the wish of someone who hears the alarm.
        guard effect != .none, client.schedule == nil else { return false }
        return alarms.silence(client.zone) && effect == .endsInstead
    }

    func wasUsed() { grants.writeUsesLater() }

    // A client that is gone asks nothing of the owner.
    func inputEnded(of client: Client) {
        pairing.inputEnded(of: client.id)
        picker.inputEnded(of: client.id)
    }

    func refused(_ client: Client, _ error: AckError) { audit.refused(client.identity.name, error.text) }
}
