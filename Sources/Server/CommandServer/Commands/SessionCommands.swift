internal import AudioSessions
internal import AudioTypes
internal import CivilTime
internal import ForeignAudio
internal import LineProtocol
internal import ServerBasics
internal import ServerNowPlaying
internal import ServerRooms
internal import ServerSessions
internal import ServerTimers
internal import Songs
internal import Zones

/// Audio sessions: `session` and its verbs.
let sessionCommands: [Command] = [
    Command(
        "session",
        .read,
        library: .ofSession,
        .rest("VERB [ARGUMENT...]", fewest: 1, zones: namedZones, needs: sessionNeeds)
    ) {
        client,
        words in
        var words = SessionWords(words)
        return try client.runSession(words.word("VERB"), &words)
    },
    .plain("why", .read, library: .withheld, .optional(.zone("ZONE"))) { client, name in
        let zone = try name.map(client.knownZone) ?? client.zone
        let timers = client.server.sleepTimers
        let diagnosis = ZoneDiagnosis(rooms: client.server.rooms, desk: client.server.desk) {
            timers.isFading($0) ? timers.remaining(in: $0) : nil
        }
        for cause in diagnosis.causes(of: zone) {
            client.reply.line("cause", cause.text)
            if let since = cause.since { client.reply.line("since", utc(since)) }
        }
        guard let path = client.server.rooms[zone]?.path else { return }
        client.reply.line("sound", path.description)
        client.reply.line("audio", path.source.description)
        client.reply.line("sinkaudio", path.sink.protocolText)
    },
    .plain("nowplaying", .read, library: .limited) { client in
        let server = client.server
        guard let id = server.nowPlaying.electedSession, let session = server.desk.session(id) else { return }
        client.describe(session)
    },
]

extension LibraryRule {
    fileprivate static let ofSession = LibraryRule { words in
        // Events of sessions come with the names of announcements, alarms and other programs.
        words.first == "events" ? .withheld : .limited
    }
}

extension AudioFormat {
    /// As in MPD's protocol: rate, bits (`f` for floats) and channels, such as `48000:f:2`.
    fileprivate var protocolText: String {
        let bits =
            switch sampleFormat {
            case .s16: "16"
            case .s32: "32"
            case .f32: "f"
            }
        return "\(sampleRate):\(bits):\(channels.count)"
    }
}

/// The permissions that a verb of `session` needs besides `read`.
@Sendable private func sessionNeeds(_ words: ArraySlice<String>) -> Permissions {
    switch words.first {
    case "list", "info", "hint", "events", "codes", "players", "foreign": []
    case "nowplaying": words.count > 1 ? .player : []
    case "permission": words.dropFirst().first == "list" ? [.player, .control] : [.player, .owner]
    case "silence", "lock", "interrupt": [.player, .control]
    default: .player
    }
}

/// The zones that a verb acts on, where they are not the client's: those of an interruption.
@Sendable private func namedZones(_ words: ArraySlice<String>) -> [String] {
    guard words.prefix(2) == ["interrupt", "begin"] else { return [] }
    return keysAndValues(words.dropFirst(3)).filter { $0.key == "zone" }.map(\.value)
}

/// Keys and values, one after another.
func keysAndValues(_ words: ArraySlice<String>) -> [(key: String, value: String)] {
    stride(from: words.startIndex, to: words.endIndex - 1, by: 2).map { (words[$0], words[$0 + 1]) }
}

extension Client {
    func knownZone(_ name: String) throws(AckError) -> Zone {
        try server.rooms.known(name)
    }

    fileprivate func runSession(_ verb: String, _ words: inout SessionWords) throws -> Outcome {
        switch verb {
        case "list": try listSessions(&words)
        case "info": try showSession(&words)
        case "open": try openSession(&words)
        case "close":
            let id = try manageableSession(&words, isForZones: false)
            try words.end()
            server.desk.close(id)
        case "category": return try categorize(&words)
        case "activate":
            let id = try manageableSession(&words)
            try words.end()
            return wait(try server.desk.handle(.activate(id), of: id))
        case "deactivate": try deactivate(&words)
        case "playing", "background": try report(verb, &words)
        case "prefer": try prefer(&words)
        case "interrupt": return try interrupt(&words)
        case "hint": try hint(&words)
        case "events": try listEvents(&words)
        case "codes": try listCodes(&words)
        case "silence", "lock": try setSwitch(verb, &words)
        case "permission": try decide(&words)
        case "nowplaying": try nowPlaying(&words)
        case "players": try listPlayers(&words)
        case "foreign": try reportForeign(&words)
        case "commands": try enableCommands(&words)
        case "send": return try sendCommand(&words)
        case "reply": try replyToCommand(&words)
        default: throw badParam("there is no verb '\(verb)'")
        }
        return .done
    }

    /// Replies once the interrupted sessions are silent.
    func wait(_ seconds: Double) -> Outcome {
        seconds > 0 ? server.jobs.wait(for: self, seconds: seconds) : .done
    }
}
