internal import Announcements
internal import AudioSessions
internal import AudioTypes
internal import Configuration
internal import LineProtocol
internal import Playlists
internal import Songs
internal import Zones

/// Announcements: `announce`, and what became of them.
let announceCommands: [Command] = [
    Command("announce", .player, .rest("URI|say TEXT [say TEXT] [KEY VALUE...]", fewest: 1)) { client, words in
        try client.announce(words)
    },
    .plain("announcement", .read, .text("list|info|cancel"), .optional(.text("ID|all"))) { client, verb, word in
        switch (verb, word) {
        case ("list", nil): for report in client.server.announcer.reports { client.describe(report) }
        case ("info", let word?):
            guard let report = client.server.announcer.report(try number(word)) else { throw noSuchAnnouncement(word) }
            client.describe(report)
        case ("cancel", let word?): try client.cancelAnnouncement(word)
        default: throw badParam("announcement list, announcement info ID, or announcement cancel ID|all")
        }
    },
]

private func number(_ word: String) throws(AckError) -> Int {
    guard let number = Int(word), number > 0 else { throw badParam("'\(word)' is no announcement's number") }
    return number
}

private func noSuchAnnouncement(_ word: String) -> AckError {
    AckError(.doesNotExist, "no such announcement: \(word)")
}

extension Client {
    fileprivate func describe(_ report: AnnouncementReport) {
        let announcement = report.announcement
        reply.line("announcement", announcement.id)
        for zone in announcement.zones { reply.line("zone", zone) }
        if let uri = announcement.uri { reply.line("file", withoutCredentials(uri)) }
        if let text = announcement.text { reply.line("text", text) }
        reply.line("class", announcement.announcementClass.rawValue)
        reply.line("priority", announcement.priority)
        reply.line("state", report.state.name)
        if let error = report.state.error { reply.line("error", error) }
    }

    fileprivate func cancelAnnouncement(_ word: String) throws {
        guard peer.isSameUser || permissions.contains(.player) else {
            throw AckError(.permission, "you don't have permission for \"announcement cancel\"")
        }
        if word == "all" { return server.announcer.cancelAll() }
        guard server.announcer.cancel(try number(word)) else { throw noSuchAnnouncement(word) }
    }

    fileprivate func announce(_ words: [String]) throws -> Outcome {
        var words = SessionWords(words)
        var request = AnnounceRequest(zones: [zone], owner: sessionOwner)
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
                guard !isDenied(known.sessionClass) else {
                    throw SessionError(.missingEntitlement, "class \(value) is not for \(sessionOwner)")
                }
                request.announcementClass = known
            case "priority": request.priority = try whole(key, value, -1_000...1_000)
            case "expires":
                guard let seconds = Double(value), seconds > 0, seconds < 1e6 else {
                    throw badParam("expires is a number of seconds, not '\(value)'")
                }
                request.expires = .seconds(seconds)
            case "zone": request.zones = value == "all" ? server.zones : try zones(value)
            default: throw badParam("there is no '\(key)' for an announcement")
            }
        }
        return try announce(request, chime: chime)
    }

    private func zones(_ names: String) throws(AckError) -> [Zone] {
        var zones: [Zone] = []
        for name in names.split(separator: ",") { zones.append(try knownZone(String(name))) }
        guard !zones.isEmpty else { throw badParam("zone is a name, several with commas, or all") }
        return zones
    }

    private func whole(_ key: String, _ word: String, _ range: ClosedRange<Int>) throws(AckError) -> Int {
        guard let number = Int(word), range.contains(number) else {
            throw badParam("\(key) is \(range.lowerBound) to \(range.upperBound), not '\(word)'")
        }
        return number
    }

    private func announce(_ request: AnnounceRequest, chime: String?) throws -> Outcome {
        let settings = server.configuration.announcements
        guard (request.text?.utf8.count ?? 0) <= settings.maxTextBytes else {
            throw badParam("a text has at most \(settings.maxTextBytes) bytes")
        }
        var request = request
        request.expires = request.expires ?? settings.expires
        // The text of a file is for people to read.
        if let uri = request.uri { request.medium = try medium(uri) }
        if let chime {
            if !chime.isEmpty { request.chime = [try medium(chime)] }
        } else {
            request.chime = server.configuredChime
        }
        let id = try server.announcer.announce(request)
        reply.line("announcement", id)
        return .done
    }

    /// What a URI from a client means: of the network, of the music directory, or any file of the same user's.
    private func medium(_ uri: String) throws -> MediaEntry {
        let uri = server.uriInMusic(uri)
        if hasScheme(uri) || uri.hasPrefix("/") {
            let song = try foreignSong(uri)
            return MediaEntry(location: song.uri)
        }
        guard let medium = server.medium(Song(uri: uri)) else { throw AckError(.doesNotExist, "No such song: \(uri)") }
        return medium
    }
}

extension ServerState {
    /// What the configuration has played before every announcement; there a path may lead anywhere.
    var configuredChime: [MediaEntry] {
        guard let uri = configuration.announcements.chime, !uri.isEmpty else { return [] }
        if hasScheme(uri) || uri.hasPrefix("/") { return [MediaEntry(location: uri)] }
        return medium(Song(uri: uri)).map { [$0] } ?? []
    }
}
