internal import Alarms
internal import AudioSessions
internal import AudioTypes
internal import Authorization
internal import CivilTime
internal import LineProtocol
internal import Records
internal import ServerMusic
internal import ServerRequests
internal import ServerRights
internal import ServerSessions
internal import ServerTimers
internal import Songs
internal import ValueText
internal import Zones

/// Alarms: `alarm` and its verbs.
let alarmCommands: [Row<TimerServices>] = [
    .plain(
        "alarm",
        .read,
        library: .ofAlarm,
        reply: .verbs(["list": .alarms, "info": .alarms.single, "add": .number("alarm"), "holidays": .holidays]),
        .rest("VERB [ARGUMENT...]", fewest: 1, locations: alarmLocations, zones: alarmZones, needs: alarmNeeds)
    ) { request, words in
        var words = SessionWords(words)
        try request.runAlarm(words.word("VERB"), &words)
    }
    .verbs(
        .verb("list"),
        .verb("info", .alarm),
        .verb(
            "add",
            Parameter("time"),
            .optional("days|date"),
            .key("zone"),
            .key("name"),
            .key("uri"),
            .key("fallback"),
            .key("volume", .scalar),
            .key("ramp", .duration),
            .key("snooze", .duration),
            .key("length", .duration),
            .key("thenplay", .boolean),
            .key("holidays", .boolean)
        ),
        .verb("rm", .alarm),
        .verb("enable", .alarm),
        .verb("disable", .alarm),
        .verb("skip", .alarm, .optional("skips", .boolean)),
        .verb("snooze", .optional("alarm", .number), .optional("time", .duration)),
        .verb("dismiss", .optional("alarm", .number)),
        .verb("holidays"),
        .verb("addholiday", Parameter("first"), .optional("last")),
        .verb("rmholiday", Parameter("first"), .optional("last"))
    )
]

extension LibraryRule {
    fileprivate static let ofAlarm = LibraryRule { words in
        .named(alarmLocations(words[...]).map { .playable($0) })
    }
}

/// The URIs in the words of `alarm add`.
@Sendable func alarmLocations(_ words: ArraySlice<String>) -> [String] {
    guard words.first == "add" else { return [] }
    return zip(words, words.dropFirst()).filter { $0.0 == "uri" || $0.0 == "fallback" }.map(\.1)
}

/// The zone that `alarm add` names.
@Sendable private func alarmZones(_ words: ArraySlice<String>) -> [String] {
    guard words.first == "add" else { return [] }
    return zip(words, words.dropFirst()).filter { $0.0 == "zone" }.map(\.1)
}

@Sendable private func alarmNeeds(_ words: ArraySlice<String>) -> Permissions {
    words.first.map { ["list", "info", "holidays"].contains($0) } == true ? [] : .player
}

extension Request<TimerServices> {
    fileprivate func runAlarm(_ verb: String, _ words: inout SessionWords) throws {
        let alarms = services.alarms
        let isRead = verb == "list" || verb == "info" || verb == "holidays"
        // Anyone who may pause may end an alarm; making one needs the right to be heard as one.
        if !isRead, verb != "dismiss", verb != "snooze" { try client.require(.alarm) }
        switch verb {
        case "list":
            try words.end()
            for alarm in alarms.store.sorted { describe(alarm) }
        case "info":
            let alarm = try object(AlarmObject.self, words.word("ID"), in: alarms, to: .lookAtAlarm).alarm
            try words.end()
            describe(alarm)
        case "add": try addAlarm(words.rest())
        case "rm", "enable", "disable":
            let alarm = try object(AlarmObject.self, words.word("ID"), in: alarms, to: .changeAlarm).alarm
            try words.end()
            if verb == "enable", !alarm.zone.isEmpty { _ = try knownZone(alarm.zone) }
            if verb == "rm" { try alarms.remove(alarm.id) } else { try alarms.enable(alarm.id, verb == "enable") }
        case "skip":
            let id = try object(AlarmObject.self, words.word("ID"), in: alarms, to: .changeAlarm).id
            let skips = try words.isEmpty || words.flag("SKIPS")
            try words.end()
            try alarms.skip(id, skips)
        case "dismiss":
            let id = try words.isEmpty ? nil : words.word("ID")
            try words.end()
            guard try alarms.dismiss(alarmsMeant(by: id)) else { throw AlarmStore.Refusal.notRinging }
        case "snooze":
            var (seconds, id): (Double?, String?)
            while let word = words.next() {
                if Int(word) != nil, id == nil { id = word } else { seconds = try snoozeTime(word) }
            }
            guard try alarms.snooze(alarmsMeant(by: id), for: seconds) else { throw AlarmStore.Refusal.notRinging }
        case "holidays":
            try words.end()
            for holiday in alarms.store.holidays { reply.line("holiday", "\(holiday.first)..\(holiday.last)") }
        case "addholiday", "rmholiday":
            let first = try words.word("DATE")
            let holiday = try Holiday(first, words.next() ?? first)
            try words.end()
            try client.require(.changeHolidays, on: AllZones(rooms))
            if verb == "addholiday" { return try alarms.add(holiday) }
            guard alarms.remove(holiday) else { throw AckError(.doesNotExist, "there is no such holiday") }
        default: throw badParam("there is no verb '\(verb)'")
        }
    }

    /// The alarm of a number; all that ring or are snoozed, without one.
    ///
    /// - Throws: Unless the client may change each of them.
    private func alarmsMeant(by id: String?) throws -> [Int] {
        let alarms = services.alarms
        let ids = id.map { [$0] } ?? alarms.store.sorted.filter(alarms.isGoingOn).map { "\($0.id)" }
        return try ids.map { try object(AlarmObject.self, $0, in: alarms, to: .changeAlarm).id }
    }

    private func snoozeTime(_ word: String) throws -> Double {
        let seconds = try TimeArgument.parse(word).seconds
        guard (10...Double(AlarmStore.longestSnooze)).contains(seconds) else {
            throw badParam("a snooze is from 10 seconds to 2 hours")
        }
        return seconds
    }

    private func addAlarm(_ words: [String]) throws {
        // The parsed alarm is checked, not its words: of a repeated key the last value counts.
        let wanted = try Alarm(id: 1, parsing: words, now: 0, in: .system)
        for uri in [wanted.uri, wanted.fallback].compactMap(\.self).map(services.media.uriInMusic) {
            // Only the user who runs the server names other files.
            if hasScheme(uri) || uri.hasPrefix("/") { _ = try foreignSong(uri) }
        }
        let zone = wanted.zone.isEmpty ? zone : try knownZone(wanted.zone)
        try client.require(.addAlarm, on: zone)
        // An alarm that plays on is added to the zone's queue.
        if wanted.playsOn { try client.require(.addAlarmThatPlaysOn, on: zone) }
        let maker = client.identity.isOwner ? "" : client.identity.id?.description ?? ""
        let alarm = try services.alarms.add(
            words + ["zone", zone.name, "volume", permitted(wanted.volume, in: zone)],
            by: maker,
            reach: client.reach
        )
        reply.line("alarm", alarm.id)
    }

    /// A volume that is at most what the client sets itself, as words have it.
    private func permitted(_ volume: ClosedRange<Int>, in zone: Zone) -> String {
        let most = rights.limits.volume(in: zone.name)
        return "\(min(volume.lowerBound, most))-\(min(volume.upperBound, most))"
    }

    fileprivate func describe(_ alarm: Alarm) {
        let alarms = services.alarms
        reply.line("alarm", alarm.id)
        reply.line("time", "\(alarm.when.time)")
        switch alarm.when.days {
        case .once(let date): reply.line("date", "\(date)")
        case .weekly(let days): reply.line("days", "\(days)")
        }
        for (key, value) in shownSettings(of: alarm) {
            reply.line(alarmKeys[key] ?? "setting", withoutCredentials(value))
        }
        if !alarm.maker.isEmpty { reply.line("by", alarm.maker) }
        reply.line("state", alarms.state(of: alarm))
        if let reason = alarm.disabledReason { reply.line("reason", reason) }
        if let skipped = alarm.when.skipped { reply.line("skipped", "\(skipped)") }
        if let next = alarms.next(alarm.id) { reply.line("next", utc(Double(next))) }
        if let missed = alarms.missed[alarm.id] { reply.line("missed", utc(Double(missed))) }
    }
}

/// The keys of an alarm's settings.
private let alarmKeys: [String: StaticString] = [
    "zone": "zone", "name": "name", "uri": "uri", "fallback": "fallback", "volume": "volume", "ramp": "ramp",
    "snooze": "snooze", "length": "length", "thenplay": "thenplay", "holidays": "holidays",
]

extension Parameter {
    fileprivate static let alarm = Parameter("alarm", .number)
}
