internal import AudioSessions
internal import Authorization
internal import LineProtocol
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import ServerSessions
internal import Settings
internal import Zones

/// Commands for the server's owner: external interruptions, the silence and lock switches, permissions.
extension Client {
    /// Throws unless the client may use a class, whether for a session, an announcement or an interruption.
    func require(_ sessionClass: SessionClass) throws(SessionError) {
        guard rights.permit(sessionClass, holding: permissions) else {
            throw SessionError(.missingEntitlement, "class \(sessionClass.rawValue) is denied to \(sessionOwner)")
        }
    }
}

extension Request<SessionServices> {
    /// Lists or changes the classes in the grants of clients, which are the owners of sessions.
    func decide(_ words: inout SessionWords) throws {
        let verb = try words.word("list|grant|deny")
        switch verb {
        case "list":
            try words.end()
            listClasses()
        case "grant", "deny":
            let owner = try PrincipalID(checking: words.word("OWNER"))
            let kind = try words.sessionClass()
            try words.end()
            try services.grants.change(owner, by: client.identity.name) { $0.grants.classes[kind] = verb == "grant" }
        default: throw badParam("session permission list, grant or deny")
        }
    }

    /// Lists the classes that are granted or denied to clients now.
    private func listClasses() {
        let moment = services.common.clock.moment
        for (id, entry) in services.grants.store.entries.sorted(by: { $0.key < $1.key }) {
            let held = entry.grants.rights(configured: [], at: moment).classes
            for kind in entry.grants.classes.classes {
                reply.line("owner", id.description)
                reply.line("kind", kind.rawValue)
                reply.line("state", held[kind] == true ? "granted" : "denied")
            }
        }
    }

    func setSwitch(_ verb: String, _ words: inout SessionWords) throws {
        let isOn = try words.flag(verb)
        try words.end()
        // They are heard in all zones.
        try client.require(.setSwitches, on: AllZones(rooms))
        if verb == "silence" { services.audioSessions.setSilent(isOn) } else { services.audioSessions.setLocked(isOn) }
    }

    func interrupt(_ words: inout SessionWords) throws -> Outcome {
        switch try words.word("begin|accept|end") {
        case "begin": return try beginInterruption(&words)
        case "accept":
            let word = try words.word("ID")
            try words.end()
            let id = try object(InterruptionObject.self, word, in: services.audioSessions, to: .interrupt).id
            guard let seconds = services.audioSessions.acceptInterruption(id) else {
                throw AckError(.doesNotExist, "no such interruption: \(id)")
            }
            services.audioSessions.renewLease(of: id, by: client.sessionClient)
            return try wait(seconds)
        case "end":
            let word = try words.word("ID")
            var resumes = true
            if let word = words.next() {
                guard word == "resume" else { throw badParam("session interrupt end ID [resume 0|1]") }
                resumes = try words.flag("resume")
            }
            try words.end()
            let id = try object(InterruptionObject.self, word, in: services.audioSessions, to: .interrupt).id
            guard services.audioSessions.endInterruption(id, resume: resumes) else {
                throw AckError(.doesNotExist, "no such interruption: \(id)")
            }
            return .done
        case let word: throw badParam("session interrupt begin, accept or end, not '\(word)'")
        }
    }

    func beginInterruption(_ words: inout SessionWords) throws -> Outcome {
        let name = try words.word("CLASS")
        guard let sessionClass = SessionClass(rawValue: name), sessionClass != .normal else {
            throw badParam("an interruption is call, alarm or assistant, not '\(name)'")
        }
        try client.require(sessionClass)
        var (label, style, isRecording, isBound) = (name, SystemInterruption.Style.full, false, false)
        var zones = [zone]
        while let key = words.next() {
            switch key {
            case "name": label = try words.word("NAME")
            case "style":
                let word = try words.word("STYLE")
                guard let known = SystemInterruption.Style(rawValue: word) else {
                    throw badParam("a style is full or banner, not '\(word)'")
                }
                style = known
            case "recording": isRecording = try words.flag("recording")
            case "bound": isBound = try words.flag("bound")
            case "zone":
                let word = try words.word("NAME")
                zones = word == "all" ? rooms.zones : [try knownZone(word)]
            default: throw badParam("an interruption has no key '\(key)'")
            }
        }
        for zone in zones { try client.require(.interrupt, on: zone) }
        let interruption = SystemInterruption(
            sessionClass,
            name: label,
            owner: client.sessionOwner,
            style: style,
            isRecording: isRecording
        )
        guard services.audioSessions.places.count < limits.maxSessions + rooms.zones.count else {
            throw SessionError(.resourceNotAvailable, "no more sessions are possible: limits.max-sessions is reached")
        }
        let (id, seconds) = try services.audioSessions.begin(interruption, in: zones)
        if isBound {
            services.audioSessions.bind(id, to: client.sessionClient)
        } else {
            services.audioSessions.renewLease(of: id, by: client.sessionClient)
        }
        reply.line("session", id.rawValue)
        return try wait(seconds)
    }
}
