internal import AudioSessions
internal import CivilTime
internal import ForeignAudio
internal import LineProtocol
internal import MPRIS
internal import Outputs
internal import ServerBasics
internal import ServerRequests
internal import ServerRooms
internal import ServerSessions
internal import Songs

/// Session queries.
extension Request<SessionServices> {
    func listSessions(_ words: inout SessionWords) throws {
        var sessions = services.audioSessions.all
        if let word = words.next() {
            guard word == "zone" else { throw badParam("session list [zone NAME]") }
            let zone = try knownZone(words.word("NAME"))
            let places = Set(rooms.places(of: zone))
            sessions = sessions.filter { !places.isDisjoint(with: services.audioSessions.places[$0.id, default: []]) }
        }
        try words.end()
        for session in sessions { describe(session) }
    }

    func showSession(_ words: inout SessionWords) throws {
        guard words.isEmpty else {
            let object = try object(SessionObject.self, words.word("ID"), in: services.audioSessions, to: .look)
            try words.end()
            return describe(object.session)
        }
        guard
            let session = services.audioSessions.ownSession(of: client.sessionClient).flatMap(
                services.audioSessions.session
            )
        else {
            throw AckError(.doesNotExist, "no such session")
        }
        describe(session)
    }

    func describe(_ session: AudioSession) {
        let audioSessions = services.audioSessions
        reply.line("session", session.id.rawValue)
        reply.line("name", client.seesName(of: session) ? session.name : privateEntry)
        reply.line("kind", session.kind.rawValue)
        reply.line("owner", session.owner)
        if let zone = audioSessions.zoneName(of: session.id) { reply.line("zone", zone) }
        for place in audioSessions.places[session.id, default: []] {
            reply.line("place", place)
            if let sink = rooms.sink(at: place) {
                reply.line("outputvolume", short(sink.isMuted ? 0 : sink.volume))
            }
        }
        reply.line("category", session.configuration.category.rawValue)
        reply.line("mode", session.configuration.mode.rawValue)
        reply.line("options", session.configuration.options.names.joined(separator: ","))
        reply.line("policy", session.configuration.policy.name)
        reply.line("class", session.sessionClass.rawValue)
        reply.line("state", session.state.rawValue)
        reply.line("playing", session.isPlaying)
        reply.line("ducked", session.isDucked)
        reply.line("muted", session.isMuted)
        reply.line("gain", short(audioSessions.gain(of: session.id)))
        reply.line("background", session.isBackground)
        reply.line("recording", session.isRecording)
        if let place = audioSessions.places[session.id]?.first {
            reply.line("promptstyle", audioSessions.arbiter(at: place).promptStyle(for: session.id).rawValue)
        }
        for interruption in session.interruptions {
            if case .session(let other) = interruption.by { reply.line("interruptedby", other.rawValue) }
            reply.line("reason", interruption.reason.numbered)
        }
        describeStream(of: session.id)
    }

    /// Another program's stream: who plays it, and how it is treated.
    private func describeStream(of id: SessionID) {
        guard let (stream, silence, isHeld) = services.foreign.stream(of: id) else { return }
        // A program that shows what it plays may be named after it.
        guard client.visible == nil else { return }
        if let process = stream.process { reply.line("process", Int(process)) }
        if !stream.binary.isEmpty { reply.line("program", stream.binary) }
        if !stream.applicationID.isEmpty { reply.line("application", stream.applicationID) }
        if !stream.role.isEmpty { reply.line("role", stream.role) }
        reply.line("stream", Int(stream.index))
        switch silence {
        case .paused(let player, _): reply.line("pausedplayer", player.name)
        case .muted, .asking(isMuted: true): reply.line("silencedby", stream.isAdjustable ? "mute" : "nothing")
        case .none, .asking(isMuted: false): break
        }
        reply.line("levelheld", isHeld)
    }

    /// `session foreign`: whether the streams of other programs are watched.
    func reportForeign(_ words: inout SessionWords) throws {
        try words.end()
        let (state, count) = services.foreign.report
        reply.line("foreign", state)
        reply.line("streams", count)
    }

    /// Lists the names of AVAudioSession's values with their numbers.
    func listCodes(_ words: inout SessionWords) throws {
        try words.end()
        for code in SessionErrorCode.allCases {
            reply.line("error", code.name)
            reply.line("number", Int(code.rawValue))
            if let text = code.fourCC { reply.line("fourcc", text) }
        }
        for reason in InterruptionReason.allCases { list("reason", reason.name, reason.rawValue) }
        for type in SessionNotice.numbered { list("type", type.name, type.number) }
        for source in [SessionNotice.Source.app, .system] { list("source", "\(source)", source.rawValue) }
        for (number, name) in ["shouldNotResume", "shouldResume"].enumerated() { list("recommendation", name, number) }
        for option in SessionOptions.named { list("option", option.name, Int(option.option.rawValue)) }
        for policy in RouteSharingPolicy.allCases { list("policy", policy.name, policy.rawValue) }
    }

    private func list(_ kind: StaticString, _ name: String, _ number: Int) {
        reply.line(kind, name)
        reply.line("number", number)
    }

    func hint(_ words: inout SessionWords) throws {
        try words.end()
        guard let id = services.audioSessions.ownSession(of: client.sessionClient),
            let place = services.audioSessions.places[id]?.first
        else {
            return
        }
        let arbiter = services.audioSessions.arbiter(at: place)
        reply.line("otheraudio", arbiter.isOtherAudioPlaying(for: id))
        reply.line("secondaryaudioshouldbesilenced", arbiter.secondaryAudioShouldBeSilenced(for: id))
    }

    func listEvents(_ words: inout SessionWords) throws {
        let log = services.audioSessions.log
        var since = log.oldest - 1
        var window = QueueRange.everything
        if let word = words.next(), word != "window" {
            since = try parseInteger(word, in: 0...Int.max)
            if let word = words.next() {
                guard word == "window" else { throw badParam("session events [SINCE] [window START:END]") }
                window = try QueueRange(parsing: words.word("START:END"))
            }
        } else if !words.isEmpty {
            window = try QueueRange(parsing: words.word("START:END"))
        }
        try words.end()
        reply.line("oldest", log.oldest)
        let events = log.events(after: since)
        for event in events[window.clamped(to: events.count)] {
            reply.line("event", event.number)
            reply.line("time", utc(event.time))
            if let session = event.session { reply.line("session", session) }
            reply.line("type", event.type)
            for (key, value) in event.fields { reply.line(key, value) }
        }
    }
}
