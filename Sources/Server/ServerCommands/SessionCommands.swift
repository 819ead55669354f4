internal import AudioSessions
internal import AudioTypes
internal import CivilTime
internal import ForeignAudio
internal import LineProtocol
internal import NowPlaying
internal import Records
internal import ServerBasics
internal import ServerNowPlaying
internal import ServerRequests
internal import ServerRooms
internal import ServerSessions
internal import ServerTimers
internal import Songs
internal import Zones

/// Audio sessions: `session` and its verbs.
let sessionCommands: [Row<SessionServices>] = [
    Row(
        "session",
        .read,
        library: .ofSession,
        reply: .ofSession,
        .rest("VERB [ARGUMENT...]", fewest: 1, zones: namedZones, needs: sessionNeeds)
    ) {
        request,
        words in
        var words = SessionWords(words)
        return try request.runSession(words.word("VERB"), &words)
    }
    .verbs(
        .verb("list", .key("zone")),
        .verb("info", .optional("session", .number)),
        .verb("open", Parameter("name"), .flag("persistent"), .key("sink"), .key("class")),
        .verb("close", .session),
        .verb("category", .session, Parameter("category"), .key("mode"), .key("options", .commas), .key("policy")),
        .verb("activate", .session),
        .verb("deactivate", .session, .flag("notify_others", word: "notifyothers")),
        .verb("playing", .session, Parameter("playing", .boolean)),
        .verb("background", .session, Parameter("background", .boolean)),
        .verb("prefer", .session, Parameter("preference"), Parameter("value", .booleanOr("default"))),
        .verb(
            "interrupt begin",
            Parameter("kind", .oneOf(["call", "alarm", "assistant"])),
            .key("name"),
            .key("style", .oneOf(["full", "banner"])),
            .key("recording", .boolean),
            .key("bound", .boolean),
            .key("zone")
        ),
        .verb("interrupt accept", .session),
        .verb("interrupt end", .session, .key("resume", .boolean)),
        .verb("codes"),
        .verb("hint"),
        .verb("events", .optional("since", .number), .key("window", .window)),
        RequestForm("nowplaying", [.optional("session", .number)] + Parameter.nowPlayingKeys),
        .verb("commands", .session, .optional("commands", .words)),
        .verb("reply", Parameter("token"), Parameter("code", .number)),
        .verb("send", Parameter("session", .scalar), Parameter("command"), .optional("value", .scalar)),
        .verb("players"),
        .verb("foreign"),
        .verb("silence", Parameter("on", .boolean)),
        .verb("lock", Parameter("on", .boolean)),
        .verb("permission list"),
        .verb("permission grant", Parameter("owner"), Parameter("class")),
        .verb("permission deny", Parameter("owner"), Parameter("class"))
    ),
    .plain("why", .read, library: .withheld, reply: .records(.causes), .optional(.zone("ZONE"))) { request, name in
        let zone = try name.map(request.knownZone) ?? request.zone
        let timers = request.services.sleepTimers
        let diagnosis = ZoneDiagnosis(rooms: request.rooms, audioSessions: request.services.audioSessions) {
            timers.isFading($0) ? timers.remaining(in: $0) : nil
        }
        for cause in diagnosis.causes(of: zone) {
            request.reply.line("cause", cause.reason.text)
            request.reply.line("reason", cause.reason.word)
            for (key, value) in cause.reason.values { request.reply.line(key, value) }
            if let since = cause.since { request.reply.line("since", utc(since)) }
        }
        guard let path = request.rooms[zone]?.path else { return }
        request.reply.line("sound", path.description)
        request.reply.line("audio", path.source.description)
        request.reply.line("sinkaudio", path.sink.protocolText)
    },
    .plain("nowplaying", .read, library: .limited, reply: .records(.sessions.single)) { request in
        let services = request.services
        guard let id = services.nowPlaying.electedSession, let session = services.audioSessions.session(id) else {
            return
        }
        request.describe(session)
    },
]

extension LibraryRule {
    fileprivate static let ofSession = LibraryRule { words in
        // Events of sessions come with the names of announcements, alarms and other programs.
        words.first == "events" ? .withheld : .limited
    }
}

extension ReplyRule {
    fileprivate static let ofSession = ReplyRule { words in
        switch words.first {
        case "list": .sessions
        case "info": .sessions.single
        case "open": .session
        case "interrupt": words.dropFirst().first == "begin" ? .session : nil
        case "hint": .hint
        case "events": .events
        case "codes": .codes
        case "permission": words.dropFirst().first == "list" ? .classes : nil
        case "nowplaying": words.count == 1 ? .nowPlaying : nil
        case "players": .mediaPlayers
        case "foreign": .foreignStreams
        case "send": .remoteStatus
        default: nil
        }
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

extension Request<SessionServices> {
    func knownZone(_ name: String) throws(AckError) -> Zone {
        try rooms.known(name)
    }

    fileprivate func runSession(_ verb: String, _ words: inout SessionWords) throws -> Outcome {
        switch verb {
        case "list": try listSessions(&words)
        case "info": try showSession(&words)
        case "open": try openSession(&words)
        case "close":
            let id = try manageableSession(&words, isForZones: false)
            try words.end()
            services.audioSessions.close(id)
        case "category": return try categorize(&words)
        case "activate":
            let id = try manageableSession(&words)
            try words.end()
            return try wait(services.audioSessions.handle(.activate(id), of: id))
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
}

extension Parameter {
    fileprivate static let session = Parameter("session", .number)

    /// The keys of the song, or whatever else a session plays (`NowPlayingInfo`).
    fileprivate static let nowPlayingKeys: [Parameter] = [
        .detail("title"), .detail("artist", .words), .detail("album"), .detail("albumartist", .words),
        .detail("composer", .words), .detail("genre", .words), .detail("track", .number),
        .detail("trackcount", .number), .detail("disc", .number), .detail("disccount", .number),
        .detail("duration", .seconds), .detail("elapsed", .seconds), .detail("rate", .rate),
        .detail("defaultrate", .rate), .detail("artwork"), .detail("uri"), .detail("persistentid"),
        .detail("mediatype"), .detail("queueindex", .number), .detail("queuecount", .number),
        .detail("chapter", .number), .detail("chaptercount", .number), .detail("live", .boolean),
        .detail("repeat", .oneOf(["off", "one", "all"])), .detail("shuffle", .oneOf(["off", "items", "collections"])),
    ]
}

extension Parameter.Form {
    fileprivate static let seconds = Parameter.Form.number(0...NowPlayingInfo.longestTime)
    fileprivate static let rate = Parameter.Form.number(-16...16)
}
