internal import AudioSessions
internal import LineProtocol
internal import Zones

/// Audio sessions: `session` with its verbs.
let sessionCommands: [Command] = [
    Command("session", .read, .rest("VERB [ARGUMENT...]", fewest: 1)) { client, words in
        var words = SessionWords(words)
        return try client.runSession(words.word("VERB"), &words)
    },
    .plain("why", .read, .optional(.text("ZONE"))) { client, name in
        let zone = try name.map(client.knownZone) ?? client.zone
        for cause in client.server.causes(of: zone) {
            client.reply.line("cause", cause.text)
            if let since = cause.since { client.reply.line("since", utc(since)) }
        }
    },
    .plain("nowplaying", .read) { client in
        let desk = client.server.desk
        let place = client.server.place(of: client.zone)
        guard let id = desk.arbiter(at: place).nowPlaying, let session = desk.session(id) else { return }
        client.describe(session)
    },
]

extension Client {
    func knownZone(_ name: String) throws(AckError) -> Zone {
        guard let zone = server.zone(named: name) else { throw AckError(.doesNotExist, "no such zone: \(name)") }
        return zone
    }

    fileprivate func runSession(_ verb: String, _ words: inout SessionWords) throws -> Outcome {
        guard ["list", "info", "hint", "events"].contains(verb) || permissions.contains(.player) else {
            throw AckError(.permission, "you don't have permission for \"session \(verb)\"")
        }
        switch verb {
        case "list": try listSessions(&words)
        case "info": try showSession(&words)
        case "open": try openSession(&words)
        case "close":
            let id = try ownSession(&words, isForZones: false)
            try words.end()
            server.desk.close(id)
        case "category": return try categorize(&words)
        case "activate":
            let id = try ownSession(&words)
            try words.end()
            return wait(try server.desk.handle(.activate(id), of: id))
        case "deactivate": try deactivate(&words)
        case "playing", "background": try report(verb, &words)
        case "prefer": try prefer(&words)
        case "interrupt": return try interrupt(&words)
        case "hint": try hint(&words)
        case "events": try listEvents(&words)
        case "silence", "lock": try setSwitch(verb, &words)
        case "permission": try decide(&words)
        default: throw badParam("there is no verb '\(verb)'")
        }
        return .done
    }

    /// Answers when those that have to be silent are.
    func wait(_ seconds: Double) -> Outcome {
        seconds > 0 ? server.perform(for: self, after: seconds) : .done
    }
}
