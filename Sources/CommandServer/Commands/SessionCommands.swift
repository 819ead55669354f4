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

/// The words of a request with verbs of their own, read one after another.
struct SessionWords {
    private var words: ArraySlice<String>

    init(_ words: [String]) { self.words = words[...] }

    var isEmpty: Bool { words.isEmpty }

    mutating func next() -> String? { words.popFirst() }

    mutating func word(_ name: String) throws(AckError) -> String {
        guard let word = words.popFirst() else { throw badParam("\(name) is missing") }
        return word
    }

    mutating func flag(_ name: String) throws(AckError) -> Bool {
        switch try word(name) {
        case "1": return true
        case "0": return false
        case let other: throw badParam("\(name) is 0 or 1, not '\(other)'")
        }
    }

    mutating func id() throws(AckError) -> SessionID {
        let word = try word("ID")
        guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is no session's number") }
        return SessionID(number)
    }

    func end() throws(AckError) {
        if let word = words.first { throw badParam("'\(word)' is too much") }
    }
}

func badParam(_ text: String) -> AckError { AckError(.badArgument, "badParam: \(text)") }

extension Client {
    func knownZone(_ name: String) throws(AckError) -> Zone {
        guard let zone = server.zone(named: name) else { throw AckError(.doesNotExist, "no such zone: \(name)") }
        return zone
    }

    fileprivate func runSession(_ verb: String, _ words: inout SessionWords) throws -> Outcome {
        switch verb {
        case "list": try listSessions(&words)
        case "info": try showSession(&words)
        case "open": try openSession(&words)
        case "close":
            let id = try ownSession(&words)
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
        case "permission": throw AckError(.unknownCommand, "permissions are the configuration's to give")
        default: throw badParam("there is no verb '\(verb)'")
        }
        return .done
    }

    /// Answers when those that have to be silent are.
    private func wait(_ seconds: Double) -> Outcome {
        seconds > 0 ? server.perform(for: self, after: seconds) : .done
    }

    // MARK: Looking

    private func listSessions(_ words: inout SessionWords) throws {
        var sessions = server.desk.sessions
        if let word = words.next() {
            guard word == "zone" else { throw badParam("session list [zone NAME]") }
            let zone = try knownZone(words.word("NAME"))
            let place = server.place(of: zone)
            sessions = sessions.filter { server.desk.places[$0.id] == place }
        }
        try words.end()
        for session in sessions { describe(session) }
    }

    private func showSession(_ words: inout SessionWords) throws {
        guard let id = words.isEmpty ? server.desk.ownSession(of: self) : try words.id(),
            let session = server.desk.session(id)
        else { throw AckError(.doesNotExist, "no such session") }
        try words.end()
        describe(session)
    }

    fileprivate func describe(_ session: AudioSession) {
        let desk = server.desk
        reply.line("session", session.id.rawValue)
        reply.line("name", session.name)
        reply.line("kind", session.kind.rawValue)
        reply.line("owner", session.owner)
        if let zone = desk.zoneName(of: session.id) { reply.line("zone", zone) }
        reply.line("category", session.configuration.category.rawValue)
        reply.line("mode", session.configuration.mode.rawValue)
        reply.line("options", session.configuration.options.names.joined(separator: ","))
        reply.line("policy", session.configuration.policy.name)
        reply.line("class", session.sessionClass.rawValue)
        reply.line("state", session.state.rawValue)
        reply.line("playing", session.isPlaying)
        reply.line("ducked", session.isDucked)
        reply.line("muted", session.isMuted)
        reply.line("gain", short(desk.gain(of: session.id)))
        reply.line("background", session.isBackground)
        for other in session.interruptedBy { reply.line("interruptedby", other.rawValue) }
    }

    private func hint(_ words: inout SessionWords) throws {
        try words.end()
        guard let id = server.desk.ownSession(of: self), let place = server.desk.places[id] else { return }
        let arbiter = server.desk.arbiter(at: place)
        reply.line("otheraudio", arbiter.isOtherAudioPlaying(for: id))
        reply.line("secondaryaudioshouldbesilenced", arbiter.secondaryAudioShouldBeSilenced(for: id))
    }

    private func listEvents(_ words: inout SessionWords) throws {
        let log = server.desk.log
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

    // MARK: Sessions of one's own

    private func openSession(_ words: inout SessionWords) throws {
        let name = try words.word("NAME")
        guard (1...64).contains(name.utf8.count) else { throw badParam("a name has 1 to 64 bytes") }
        var (isPersistent, sink): (Bool, String?) = (false, nil)
        while let word = words.next() {
            switch word {
            case "persistent": isPersistent = true
            case "sink": sink = try words.word("SINK")
            default: throw badParam("session open NAME [persistent] [sink SINK]")
            }
        }
        guard server.desk.clientSessions.count < SessionDesk.clientLimit else {
            throw AckError(.system, "resourceNotAvailable: there are \(SessionDesk.clientLimit) sessions already")
        }
        let id = try server.desk.open(name, persistent: isPersistent, sink: sink, for: self)
        reply.line("session", id.rawValue)
        server.note(.session)
    }

    /// The session that is named next, if the client may act on it.
    private func ownSession(_ words: inout SessionWords) throws -> SessionID {
        let id = try words.id()
        guard let session = server.desk.session(id) else { throw AckError(.doesNotExist, "no such session: \(id)") }
        let known = server.desk.clientSessions[id]
        let isOwn = known.map { $0.client == self.id || $0.isPersistent && $0.owner == sessionOwner } ?? false
        guard isOwn || mayControlSessions else {
            throw AckError(.permission, "you don't have permission for session \(id)")
        }
        guard isOwn || session.kind == .client || session.kind == .zone else {
            throw AckError(.permission, "session \(id) is the server's own")
        }
        return id
    }

    private func categorize(_ words: inout SessionWords) throws -> Outcome {
        let id = try ownSession(&words)
        let configuration = try SessionConfiguration(parsing: &words)
        if let zone = server.desk.zone(of: id) { return wait(try server.desk.configure(zone, as: configuration)) }
        return wait(try server.desk.handle(.configure(id, configuration), of: id))
    }

    private func deactivate(_ words: inout SessionWords) throws {
        let id = try ownSession(&words)
        var notifies = false
        if let word = words.next() {
            guard word == "notifyothers" else { throw badParam("session deactivate ID [notifyothers]") }
            notifies = true
        }
        try words.end()
        server.desk.zone(of: id)?.fallSilent(over: 0)
        try server.desk.handle(.deactivate(id, notifyOthers: notifies), of: id)
    }

    private func report(_ verb: String, _ words: inout SessionWords) throws {
        let id = try ownSession(&words)
        let isOn = try words.flag(verb)
        try words.end()
        try server.desk.handle(verb == "playing" ? .playing(id, isOn) : .background(id, isOn), of: id)
    }

    private func prefer(_ words: inout SessionWords) throws {
        let id = try ownSession(&words)
        let key = try words.word("KEY")
        let isOn = try words.flag(key)
        try words.end()
        let preference: SessionPreference
        switch key {
        case "noInterruptionsFromSystemAlerts": preference = .noInterruptionsFromSystemAlerts(isOn)
        case "interruptionOnRouteDisconnect": preference = .interruptionOnRouteDisconnect(isOn)
        case "autoResume": preference = .autoResume(isOn)
        default: throw badParam("there is no preference '\(key)'")
        }
        try server.desk.handle(.prefer(id, preference), of: id)
    }

    // MARK: The system's part

    private func requireControl(_ what: String) throws(AckError) {
        guard mayControlSessions else {
            throw AckError(.permission, "you don't have permission for \"session \(what)\"")
        }
    }

    private func setSwitch(_ verb: String, _ words: inout SessionWords) throws {
        try requireControl(verb)
        let isOn = try words.flag(verb)
        try words.end()
        if verb == "silence" { server.desk.setSilent(isOn) } else { server.desk.setLocked(isOn) }
    }

    private func interrupt(_ words: inout SessionWords) throws -> Outcome {
        try requireControl("interrupt")
        switch try words.word("begin|end") {
        case "begin": return try beginInterruption(&words)
        case "end":
            let id = try words.id()
            var resumes = true
            if let word = words.next() {
                guard word == "resume" else { throw badParam("session interrupt end ID [resume 0|1]") }
                resumes = try words.flag("resume")
            }
            try words.end()
            guard server.desk.endInterruption(id, resume: resumes) else {
                throw AckError(.doesNotExist, "no such interruption: \(id)")
            }
            return .done
        case let word: throw badParam("session interrupt begin or end, not '\(word)'")
        }
    }

    private func beginInterruption(_ words: inout SessionWords) throws -> Outcome {
        let name = try words.word("CLASS")
        guard let sessionClass = SessionClass(rawValue: name), sessionClass != .normal else {
            throw badParam("an interruption is call, alarm or assistant, not '\(name)'")
        }
        var (label, style, isRecording) = (name, SystemInterruption.Style.full, false)
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
            case "zone":
                let word = try words.word("NAME")
                zones = word == "all" ? server.zones : [try knownZone(word)]
            default: throw badParam("there is no '\(key)' for an interruption")
            }
        }
        let interruption = SystemInterruption(
            sessionClass,
            name: label,
            owner: sessionOwner,
            style: style,
            isRecording: isRecording
        )
        let (id, seconds) = try server.desk.begin(interruption, in: zones)
        reply.line("session", id.rawValue)
        return wait(seconds)
    }
}

extension SessionConfiguration {
    /// Reads `CATEGORY [mode MODE] [options A,B] [policy P]`.
    init(parsing words: inout SessionWords) throws {
        let name = try words.word("CATEGORY")
        guard let category = SessionCategory(rawValue: name) else { throw badParam("there is no category '\(name)'") }
        var (mode, options, policy) = (SessionMode.default, SessionOptions(), RouteSharingPolicy.default)
        while let key = words.next() {
            let value = try words.word(key.uppercased())
            switch key {
            case "mode":
                guard let known = SessionMode(rawValue: value) else { throw badParam("there is no mode '\(value)'") }
                mode = known
            case "options":
                for name in value.split(separator: ",") {
                    guard let option = SessionOptions(name: String(name)) else {
                        throw badParam("there is no option '\(name)'")
                    }
                    options.formUnion(option)
                }
            case "policy":
                guard let known = RouteSharingPolicy(name: value) else {
                    throw badParam("there is no policy '\(value)'")
                }
                policy = known
            default: throw badParam("session category ID CATEGORY [mode MODE] [options A,B] [policy P]")
            }
        }
        try self.init(category: category, mode: mode, options: options, policy: policy)
    }
}
