internal import Authorization
internal import CivilTime
internal import LineProtocol
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import ServerRooms
internal import Zones

/// The most that zones play, for their owner.
let ceilingCommands: [Row<AccessServices>] = [
    .plain(
        "ceiling",
        .owner,
        library: .nothing,
        reply: .verbs(["list": .ceilings]),
        .text("list|set|clear"),
        .rest("[NAME [KEY VALUE...]]")
    ) { request, verb, words in
        switch (verb, words.count) {
        case ("list", 0): request.listCeilings()
        case ("set", 3...): try request.setCeiling(of: words[0], Array(words.dropFirst()))
        case ("clear", 1):
            try request.setCeiling(
                of: words[0],
                ["volume", "any", "alarms", "limited", "speed", "any", "hours", "always", "until", "never"]
            )
        default: throw badParam("ceiling list, ceiling set NAME KEY VALUE..., or ceiling clear NAME")
        }
    }
    .verbs(
        .verb("list"),
        RequestForm(
            "set",
            [
                Parameter("zone"), .key("volume", .scalar), .key("alarms", .scalar), .key("speed", .scalar),
                .key("hours"), .key("until", .scalar),
            ]
        ),
        .verb("clear", Parameter("zone"))
    )
]

extension Request<AccessServices> {
    /// Lists the zones that the client may limit, with what they play at most now.
    fileprivate func listCeilings() {
        for zone in rooms.zones where rights.permissions(in: zone.name).contains(.owner) {
            reply.line("zone", zone.name)
            reply.line("most", zone.volumeCeiling)
            guard let ceiling = services.ceilings.all[zone.name] else { continue }
            if let volume = ceiling.volume { reply.line("volume", volume) }
            if let alarms = ceiling.alarms { reply.line("alarms", alarms) }
            if let speed = ceiling.speed { reply.line("speed", short(speed)) }
            if let hours = ceiling.validity.hours { reply.line("hours", "\(hours)") }
            if let until = ceiling.validity.until { reply.line("until", utc(until)) }
        }
    }

    fileprivate func setCeiling(of word: String, _ words: [String]) throws {
        let zone = try object(ZoneObject.self, word, in: rooms, to: .setCeiling).zone
        let keys = Set(keysAndValues(words[...]).map(\.key))
        if services.ceilings.all[zone.name] == nil, keys.isDisjoint(with: ["volume", "speed"]) {
            throw badParam("\(zone.name) has no limit: say which volume or speed is its most")
        }
        try services.ceilings.change(zone.name, words, by: client.identity.name)
    }
}
