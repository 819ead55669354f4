internal import Alarms
internal import AudioTypes
internal import CivilTime
internal import LineProtocol
internal import Records
internal import ServerRequests
internal import ServerSessions
internal import ServerTimers
internal import Settings
internal import Songs
internal import ValueText
internal import Zones

/// Schedules: `schedule` and its verbs.
let scheduleCommands: [Row<TimerServices>] = [
    .plain(
        "schedule",
        .read,
        library: .withheld,
        reply: .verbs(["list": .schedules, "info": .schedules.single, "add": .number("schedule")]),
        .rest("VERB [ARGUMENT...]", fewest: 1, zones: scheduleZones)
    ) { request, words in
        var words = SessionWords(words)
        try request.runSchedule(words.word("VERB"), &words)
    }
    .verbs(
        .verb("list"),
        .verb("info", .schedule),
        .verb(
            "add",
            Parameter("time"),
            .optional("days|date"),
            Parameter("commands", .words, after: "command"),
            .key("zone"),
            .key("name"),
            .key("holidays", .boolean)
        ),
        .verb("rm", .schedule),
        .verb("enable", .schedule),
        .verb("disable", .schedule),
        .verb("skip", .schedule, .optional("skips", .boolean))
    )
    .notForSchedules { $0.first == "add" }
]

/// The zone that `schedule add` names.
@Sendable private func scheduleZones(_ words: ArraySlice<String>) -> [String] {
    guard words.first == "add" else { return [] }
    return zip(words, words.dropFirst()).filter { $0.0 == "zone" }.map(\.1)
}

extension Request<TimerServices> {
    fileprivate func runSchedule(_ verb: String, _ words: inout SessionWords) throws {
        let schedules = services.alarms.schedules
        switch verb {
        case "list":
            try words.end()
            for schedule in schedules.store.sorted { describe(schedule) }
        case "info":
            let schedule = try object(ScheduleObject.self, words.word("ID"), in: schedules, to: .lookAtSchedule)
                .schedule
            try words.end()
            describe(schedule)
        case "add": try addSchedule(words.rest())
        case "rm", "enable", "disable":
            let id = try object(ScheduleObject.self, words.word("ID"), in: schedules, to: .changeSchedule).id
            try words.end()
            if verb == "rm" { try schedules.remove(id) } else { try schedules.enable(id, verb == "enable") }
        case "skip":
            let id = try object(ScheduleObject.self, words.word("ID"), in: schedules, to: .changeSchedule).id
            let skips = try words.isEmpty || words.flag("SKIPS")
            try words.end()
            try schedules.skip(id, skips)
        default: throw badParam("there is no verb '\(verb)'")
        }
    }

    private func mayChange(_ schedule: Schedule) -> Bool {
        (try? object(ScheduleObject.self, "\(schedule.id)", in: services.alarms.schedules, to: .changeSchedule)) != nil
    }

    // MARK: Adding

    private func addSchedule(_ words: [String]) throws {
        guard client.schedule == nil else { throw badParam("a schedule makes no schedules") }
        var words = words
        var zone = zone
        if let place = keyPlace("zone", in: words) {
            zone = try knownZone(words[place + 1])
        } else {
            words += ["zone", zone.name]
        }
        let maker = try client.scheduleMaker
        // The words are checked as a whole first, so that what is named command is one.
        let parsed = try Schedule(id: 1, parsing: words, now: 0, in: .system)
        for line in parsed.commands { try check(line, in: zone) }
        reply.line("schedule", try services.alarms.schedules.add(words, by: maker).id)
    }

    private func keyPlace(_ key: String, in words: [String]) -> Int? {
        words.indices.first { words[$0] == key && $0 + 1 < words.count && (words.count - $0) % 2 == 0 }
    }

    /// Throws unless the client could give a command now.
    private func check(_ line: String, in zone: Zone) throws {
        let request = try RequestLine(parsing: Array(line.utf8))
        guard let command = services.table[request.command] else {
            throw badParam("unknown command \"\(request.command)\"")
        }
        if command.isForClientsOnly(request.arguments) {
            throw badParam("\(request.command) is nothing for a schedule")
        }
        let own = self.zone
        self.zone = zone
        defer { self.zone = own }
        try client.require(command, with: request.arguments, rights, in: rooms)
        try command.checkLocations(request.arguments, limit: limits.maxURIBytes)
    }

    // MARK: Telling

    private func describe(_ schedule: Schedule) {
        let schedules = services.alarms.schedules
        reply.line("schedule", schedule.id)
        reply.line("time", "\(schedule.when.time)")
        switch schedule.when.days {
        case .once(let date): reply.line("date", "\(date)")
        case .weekly(let days): reply.line("days", "\(days)")
        }
        for (key, value) in schedule.settings { reply.line(scheduleKeys[key] ?? "setting", value) }
        // Commands may contain what only their maker should see.
        if mayChange(schedule) { for command in schedule.commands { reply.line("command", command) } }
        reply.line("by", schedule.maker.principal)
        reply.line("state", schedule.when.isEnabled ? "enabled" : "disabled")
        if let skipped = schedule.when.skipped { reply.line("skipped", "\(skipped)") }
        if let next = schedules.next(schedule.id) { reply.line("next", utc(Double(next))) }
        if let missed = schedules.missed[schedule.id] { reply.line("missed", utc(Double(missed))) }
        guard let last = schedules.last[schedule.id] else { return }
        reply.line("last", utc(Double(last.moment)))
        if let failure = last.failure { reply.line("error", failure) }
    }
}

/// The keys of a schedule's settings.
private let scheduleKeys: [String: StaticString] = ["zone": "zone", "name": "name", "holidays": "holidays"]

extension Parameter {
    fileprivate static let schedule = Parameter("schedule", .number)
}
