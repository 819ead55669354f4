internal import Announcements
internal import AudioSessions
internal import AudioTypes
internal import Authorization
internal import LineProtocol
internal import Playlists
internal import Records
internal import ServerAnnouncements
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import ServerRooms
internal import Settings
internal import Songs
internal import Zones

/// Announcements: `announce`, and queries about announcements.
let announceCommands: [Row<TimerServices>] = [
    Row(
        "announce",
        .player,
        library: .ofAnnounce,
        reply: .records(.number("announcement")),
        .rest("URI|say TEXT [say TEXT] [KEY VALUE...]", fewest: 1, locations: announcedLocations, zones: announcedZones)
            .named(
                .required("uri", unless: "say"),
                .key("say"),
                .key("voice"),
                .key("volume", .integer(0...100)),
                .key("duck", .number(0...60)),
                .key("chime"),
                .key("class", .oneOf(["normal", "assistant", "alarm"])),
                .key("priority", .integer(-1_000...1_000)),
                .key("expires", .number(0...1e6)),
                .key("zone", .commas)
            )
    ) { request, words in
        try request.announce(words)
    }
    .forGuests { _ in .other },
    .plain(
        "announcement",
        .read,
        library: .limited,
        reply: .verbs(["list": .announcements, "info": .announcements.single]),
        .verb("list|info|cancel", needing: ["cancel": .player]),
        .optional(.text("ID|all"))
    ) {
        request,
        verb,
        word in
        switch (verb, word) {
        case ("list", nil): for report in request.services.announcer.reports { request.describe(report) }
        case ("info", let word?):
            let announcer = request.services.announcer
            request.describe(
                try request.object(AnnouncementObject.self, word, in: announcer, to: .lookAtAnnouncement).report
            )
        case ("cancel", let word?): try request.cancelAnnouncement(word)
        default: throw badParam("announcement list, announcement info ID, or announcement cancel ID|all")
        }
    }
    .verbs(
        .verb("list"),
        .verb("info", Parameter("announcement", .number)),
        .verb("cancel", Parameter("announcement", .scalar))
    ),
]

extension LibraryRule {
    fileprivate static let ofAnnounce = LibraryRule { words in
        .named(announcedLocations(words[...]).filter { !$0.isEmpty }.map { .song($0) })
    }
}

/// The locations in an announcement's arguments: its URI, unless it is spoken text, and its chimes.
@Sendable func announcedLocations(_ words: ArraySlice<String>) -> [String] {
    let keys = words.first == "say" ? words : words.dropFirst()
    let chimes = stride(from: keys.startIndex, to: keys.endIndex - 1, by: 2)
        .filter { keys[$0] == "chime" }
        .map { keys[$0 + 1] }
    return words.prefix(words.first == "say" ? 0 : 1) + chimes
}

/// The zones that an announcement names.
@Sendable private func announcedZones(_ words: ArraySlice<String>) -> [String] {
    keysAndValues(words.first == "say" ? words : words.dropFirst()).filter { $0.key == "zone" }
        .flatMap { $0.value.split(separator: ",").map(String.init) }
}

extension Request<TimerServices> {
    fileprivate func describe(_ report: AnnouncementReport) {
        let announcement = report.announcement
        reply.line("announcement", announcement.id)
        for zone in announcement.zones { reply.line("zone", zone) }
        let isShown = client.visible == nil || services.announcer.owner(of: announcement.id) == client.sessionOwner
        if let uri = announcement.uri { reply.line("file", isShown ? withoutCredentials(uri) : privateEntry) }
        if let text = announcement.text { reply.line("text", isShown ? text : privateEntry) }
        reply.line("class", announcement.announcementClass.rawValue)
        reply.line("priority", announcement.priority)
        reply.line("state", report.state.name)
        if let error = report.state.error { reply.line("error", isShown ? error : privateEntry) }
    }

    fileprivate func cancelAnnouncement(_ word: String) throws {
        let words = word == "all" ? services.announcer.reports.map { "\($0.announcement.id)" } : [word]
        let meant = try words.map {
            try object(AnnouncementObject.self, $0, in: services.announcer, to: .cancelAnnouncement)
        }
        guard word != "all" else { return services.announcer.cancelAll() }
        guard meant.allSatisfy({ services.announcer.cancel($0.id) }) else {
            throw AckError(.doesNotExist, "no such announcement: \(word)")
        }
    }

    fileprivate func announce(_ words: [String]) throws -> Outcome {
        var words = SessionWords(words)
        var request = AnnounceRequest(zones: [zone], owner: client.sessionOwner)
        let first = try words.word("URI")
        var chime: String?
        if first == "say" { request.text = try words.word("TEXT") } else { request.uri = first }
        while let key = words.next() {
            let value = try words.word(key.uppercased())
            switch key {
            case "say": request.text = value
            case "voice": request.voice = value
            case "volume": request.volume = try whole(key, value, 0...100)
            case "duck":
                guard let depth = Double(value), (0...60).contains(depth) else {
                    throw badParam("duck is 0 to 60 dB, not '\(value)'")
                }
                request.duck = depth
            case "chime": chime = value
            case "class":
                guard let known = AnnouncementClass(rawValue: value) else {
                    throw badParam("a class is normal, assistant or alarm, not '\(value)'")
                }
                try client.require(known.sessionClass)
                request.announcementClass = known
            case "priority": request.priority = try whole(key, value, -1_000...1_000)
            case "expires":
                guard let seconds = Double(value), seconds > 0, seconds < 1e6 else {
                    throw badParam("expires is a number of seconds, not '\(value)'")
                }
                request.expires = .seconds(saturating: seconds)
            case "zone":
                request.isForAllThatSound = value == "all"
                request.zones = value == "all" ? rooms.zones : try zones(value)
            default: throw badParam("an announcement has no key '\(key)'")
            }
        }
        return try announce(request, chime: chime)
    }

    private func zones(_ names: String) throws(AckError) -> [Zone] {
        var zones: [Zone] = []
        for name in names.split(separator: ",") { zones.append(try knownZone(String(name))) }
        guard !zones.isEmpty else { throw badParam("zone must be a name, several names separated by commas, or all") }
        return zones
    }

    private func whole(_ key: String, _ word: String, _ range: ClosedRange<Int>) throws(AckError) -> Int {
        guard let number = Int(word), range.contains(number) else {
            throw badParam("\(key) is \(range.lowerBound) to \(range.upperBound), not '\(word)'")
        }
        return number
    }

    private func announce(_ request: AnnounceRequest, chime: String?) throws -> Outcome {
        let settings = configuration.announcements
        guard (request.text?.utf8.count ?? 0) <= settings.maxTextBytes else {
            throw badParam("a text has at most \(settings.maxTextBytes) bytes")
        }
        var request = request
        request.expires = request.expires ?? settings.expires
        // `uri` keeps the spelling of the client for display; `medium` is what is opened.
        if let uri = request.uri { request.medium = try medium(uri) }
        if let chime {
            if !chime.isEmpty { request.chime = [try medium(chime)] }
        } else {
            request.chime = services.media.configuredChime
        }
        for zone in request.zones { try client.require(.announce, on: zone) }
        try services.quotas.requireAnnouncement(for: client)
        let id = try services.announcer.announce(request)
        services.quotas.announced(by: client)
        reply.line("announcement", id)
        return .done
    }

    /// Resolves a client's URI: a URL, a path in the music directory, or, for the user who runs the server, any file.
    private func medium(_ uri: String) throws -> MediaEntry {
        let uri = services.media.uriInMusic(uri)
        if hasScheme(uri) || uri.hasPrefix("/") {
            let song = try foreignSong(uri)
            return MediaEntry(location: song.uri, access: access)
        }
        guard let medium = services.media.medium(Song(uri: uri)) else {
            throw AckError(.doesNotExist, "No such song: \(uri)")
        }
        return medium
    }
}
