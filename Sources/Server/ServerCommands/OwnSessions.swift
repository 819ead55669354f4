internal import AudioSessions
internal import LineProtocol
internal import ServerBasics
internal import ServerRequests
internal import ServerSessions
internal import Settings
internal import Zones

/// Commands with which clients manage their own sessions.
extension Request<SessionServices> {
    func openSession(_ words: inout SessionWords) throws {
        let name = try words.word("NAME")
        guard (1...64).contains(name.utf8.count) else { throw badParam("a name has 1 to 64 bytes") }
        var (isPersistent, sink, sessionClass): (Bool, String?, SessionClass) = (false, nil, .normal)
        while let word = words.next() {
            switch word {
            case "persistent": isPersistent = true
            case "sink": sink = try words.word("SINK")
            case "class": sessionClass = try words.sessionClass()
            default: throw badParam("session open NAME [persistent] [sink SINK] [class CLASS]")
            }
        }
        try client.require(sessionClass)
        if let sink { try client.require(.openSessionAtSink, on: SinkObject(sink, from: zone, in: rooms)) }
        let limits = limits
        let own = services.audioSessions.clientSessions.values.count { $0.owner == client.sessionOwner }
        guard own < limits.maxSessionsPerClient else {
            throw SessionError(
                .resourceNotAvailable,
                "\(client.sessionOwner) has \(own) sessions already, the most that limits.max-sessions-per-client allows; close some"
            )
        }
        guard services.audioSessions.clientSessions.count < limits.maxSessions else {
            throw SessionError(.resourceNotAvailable, "no more sessions are possible: limits.max-sessions is reached")
        }
        let id = try services.audioSessions.open(
            name,
            sessionClass,
            persistent: isPersistent,
            sink: sink,
            for: client.sessionClient
        )
        reply.line("session", id.rawValue)
        notify(.session)
    }

    /// Reads the number of a session that the client may manage.
    ///
    /// - Parameter isForZones: Whether zones' sessions are allowed; only the server may end those and report on them.
    func manageableSession(_ words: inout SessionWords, isForZones: Bool = true) throws -> SessionID {
        let session = try object(SessionObject.self, words.word("ID"), in: services.audioSessions, to: .manageSession)
        return try managing(session, isForZones: isForZones)
    }

    /// Checks that a session is one that clients manage, and renews its lease.
    func managing(_ object: SessionObject, isForZones: Bool = true) throws(AckError) -> SessionID {
        let kind = object.session.kind
        guard object.isOwn || kind == .client || kind == .zone && isForZones else {
            throw AckError(.permission, "session \(object.id) is the server's own")
        }
        services.audioSessions.renewLease(of: object.id, by: client.sessionClient)
        return object.id
    }

    func categorize(_ words: inout SessionWords) throws -> Outcome {
        let id = try manageableSession(&words)
        let configuration = try SessionConfiguration(parsing: &words)
        if let zone = services.audioSessions.zone(of: id) {
            return try wait(services.audioSessions.configure(zone, as: configuration))
        }
        return try wait(services.audioSessions.handle(.configure(id, configuration), of: id))
    }

    func deactivate(_ words: inout SessionWords) throws {
        let id = try manageableSession(&words)
        var notifies = false
        if let word = words.next() {
            guard word == "notifyothers" else { throw badParam("session deactivate ID [notifyothers]") }
            notifies = true
        }
        try words.end()
        services.audioSessions.zone(of: id)?.fallSilent(over: 0)
        try services.audioSessions.handle(.deactivate(id, notifyOthers: notifies), of: id)
    }

    func report(_ verb: String, _ words: inout SessionWords) throws {
        let id = try manageableSession(&words, isForZones: false)
        let isOn = try words.flag(verb)
        try words.end()
        try services.audioSessions.handle(verb == "playing" ? .playing(id, isOn) : .background(id, isOn), of: id)
    }

    func prefer(_ words: inout SessionWords) throws {
        let id = try manageableSession(&words)
        let key = try words.word("PREFERENCE")
        let preference = try SessionPreference(named: key, value: words.word("VALUE"))
        try words.end()
        try services.audioSessions.handle(.prefer(id, preference), of: id)
    }
}
