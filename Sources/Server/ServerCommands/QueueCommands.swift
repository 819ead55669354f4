internal import LineProtocol
internal import Playlists
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import Songs
internal import Zones

/// Editing the queue (the manual's section "The Queue").
let queueCommands: [Row<MusicServices>] = [
    Row("add", .add, library: .place, .location("URI"), .optional(.position())) { request, uri, position in
        try request.withSongs(uri) { songs in
            let zone = request.zone
            let place = try position?.position(current: zone.queue.current, through: zone.queue.count)
            _ = try request.add(songs, at: place)
            return .done
        }
    }
    .forAddOnly { $0.count == 1 }
    .forGuests { .add(uri: $0.first) },
    Row("addid", .add, library: .place, reply: .records(.addedSong), .location("URI"), .optional(.position())) {
        request,
        uri,
        position in
        try request.withSongs(uri, isSong: true) { songs in
            guard songs.count == 1 else { throw AckError(.doesNotExist, "No such song") }
            let zone = request.zone
            let place = try position?.position(current: zone.queue.current, through: zone.queue.count)
            if let id = try request.add(songs, at: place) { request.reply.line("Id", Int(id)) }
            return .done
        }
    }
    .forAddOnly { $0.count == 1 }
    .forGuests { .add(uri: $0.first, tellsID: true) },
    .plain("clear", .player, library: .nothing) { $0.zone.clear() }
        .forGuests { $0.isEmpty ? .clear : .change },
    .plain("delete", .player, library: .nothing, .range()) { request, range in
        let positions = try range.positions(of: request.zone.queue.count)
        try request.client.requireOwnership(of: positions, for: "delete")
        try request.zone.delete(positions)
    }
    .forAddOnly(),
    .plain("deleteid", .player, library: .nothing, .id()) { request, id in
        guard let position = request.zone.queue.position(of: id) else { throw ZoneError.noSuchSong }
        try request.client.requireOwnership(of: position..<position + 1, for: "deleteid")
        try request.zone.delete(id: id)
    }
    .forAddOnly(),
    .plain("move", .player, library: .nothing, .range("FROM|START:END"), .position("TO")) { request, range, target in
        let zone = request.zone
        guard range.end != nil else { throw AckError(.badArgument, "Open-ended range not supported") }
        let positions = try range.positions(of: zone.queue.count)
        if case .absolute(let number) = target, number > zone.queue.count - positions.count { throw target.tooLarge }
        try zone.move(positions, to: target.target(of: positions, in: zone))
    },
    .plain("moveid", .player, library: .nothing, .id(), .position("TO")) { request, id, target in
        let zone = request.zone
        guard let position = zone.queue.position(of: id) else { throw ZoneError.noSuchSong }
        try zone.move(position..<position + 1, to: target.target(of: position..<position + 1, in: zone))
    },
    .plain("shuffle", .player, library: .nothing, .optional(.range())) { request, range in
        let zone = request.zone
        try zone.shuffle((range ?? .everything).positions(of: zone.queue.count))
    },
    .plain(
        "swap",
        .player,
        library: .nothing,
        .unsigned("SONG1").named("position1", .place),
        .unsigned("SONG2").named("position2", .place)
    ) { try $0.zone.swap($1, $2) },
    .plain("swapid", .player, library: .nothing, .id("SONG1").named("id1"), .id("SONG2").named("id2")) {
        request,
        first,
        second in
        let queue = request.zone.queue
        guard let first = queue.position(of: first), let second = queue.position(of: second) else {
            throw ZoneError.noSuchSong
        }
        try request.zone.swap(first, second)
    },
    .plain(
        "prio",
        .player,
        library: .nothing,
        .priority(),
        .rest("START:END...", fewest: 1).named(Parameter("position", .places))
    ) {
        request,
        priority,
        words in
        for word in words {
            let positions = try QueueRange(parsing: word).positions(of: request.zone.queue.count)
            try request.zone.setPriority(positions, priority)
        }
    },
    .plain("prioid", .player, library: .nothing, .priority(), .rest("ID...", fewest: 1).named(Parameter("ids", .words)))
    { request, priority, words in
        for word in words {
            let id = UInt32(try parseInteger(word, in: 0...Int(UInt32.max)))
            try request.zone.setPriority(id: id, priority)
        }
    },
    .plain(
        "rangeid",
        .add,
        library: .nothing,
        .id(),
        .text("START:END").named("start", .part),
        .rest("[TAG VALUE]...").named(Parameter.tags)
    ) {
        request,
        id,
        word,
        words in
        let tags = try partTags(words)
        try request.zone.setRange(of: id, try SongRange(parsing: word).range)
        try request.setTags(tags, ofPart: id)
        // Of a range from before the start the duration of the whole song is not known, so read that again.
        guard let song = request.zone.queue.entry(id: id)?.song, song.duration == nil, !hasScheme(song.uri) else {
            return
        }
        request.services.arrivals.examine([(uri: song.uri, id: id)], in: request.zone)
    },
    .plain("addtagid", .add, library: .nothing, .id(), .tag("TAG"), .text("VALUE")) { request, id, tag, value in
        let song = try request.zone.remoteSong(id)
        let tagged = song.with(tags: song.tags + [(tag, value)])
        try request.rooms.requireRoom(for: [tagged], besides: song.byteCount, request.limits)
        try request.zone.replaceSong(id: id, with: tagged)
    },
    .plain("cleartagid", .add, library: .nothing, .id(), .optional(.tag("TAG"))) { request, id, tag in
        let song = try request.zone.remoteSong(id)
        let kept = tag.map { tag in song.tags.filter { $0.0 != tag } } ?? []
        try request.zone.replaceSong(id: id, with: song.with(tags: kept))
    },
]

/// The tags of a part of a file, as a CUE sheet has them.
extension Parameter {
    /// The tags of a part of a song.
    fileprivate static let tags = TagType.allCases.map { tag in
        let name = tag.name.lowercased()
        return Parameter.key(name, .words, word: name)
    }
}

private func partTags(_ words: [String]) throws(AckError) -> [(TagType, String)] {
    guard words.count.isMultiple(of: 2) else { throw badParam("rangeid SONGID START:END [TAG VALUE]...") }
    var tags: [(TagType, String)] = []
    for place in stride(from: 0, to: words.count, by: 2) {
        guard let tag = TagType(name: words[place]) else {
            throw AckError(.badArgument, "Unknown tag type: \(words[place])")
        }
        tags.append((tag, words[place + 1]))
    }
    return tags
}

extension Request<MusicServices> {
    /// Gives a part of a song tags of its own, in place of the whole song's.
    fileprivate func setTags(_ tags: [(TagType, String)], ofPart id: UInt32) throws {
        guard !tags.isEmpty, let song = zone.queue.entry(id: id)?.song else { return }
        let replaced = Set(tags.map(\.0))
        let tagged = song.with(tags: song.tags.filter { !replaced.contains($0.0) } + tags)
        try rooms.requireRoom(for: [tagged], besides: song.byteCount, limits)
        try zone.replaceSong(id: id, with: tagged)
    }
}

extension Zone {
    /// A song whose tags may be edited: one from the network.
    fileprivate func remoteSong(_ id: UInt32) throws -> Song {
        guard let entry = queue.entry(id: id) else { throw ZoneError.noSuchSong }
        guard hasScheme(entry.song.uri) else { throw AckError(.permission, "Cannot edit tags of local file") }
        return entry.song
    }

    fileprivate func setRange(of id: UInt32, _ range: Song.Range?) throws {
        guard let song = queue.entry(id: id)?.song else { throw ZoneError.noSuchSong }
        if state != .stop, queue.currentEntry?.id == id { throw AckError(.permission, "Cannot edit the current song") }
        let whole = song.mediumDuration
        var range = range
        if let whole, let given = range {
            guard given.start <= whole else {
                throw AckError(.badArgument, "Bad range: it starts at \(short(given.start)) seconds of \(short(whole))")
            }
            if let end = given.end, end >= whole { range = given.start > 0 ? Song.Range(start: given.start) : nil }
        }
        try replaceSong(id: id, with: song.with(range: range, mediumDuration: whole))
    }
}

extension InsertPosition {
    /// The position of moved entries after the move.
    fileprivate func target(of moved: Range<Int>, in zone: Zone) throws(AckError) -> Int {
        let limit = zone.queue.count - moved.count
        guard case .absolute = self else {
            guard let current = zone.queue.current else { throw AckError(.notPlaying, "No current song") }
            guard !moved.contains(current) else {
                throw AckError(.badArgument, "Cannot move current song relative to itself")
            }
            // The current song's position without the moved entries.
            let place = current < moved.lowerBound ? current : current - moved.count
            let target = if case .afterCurrent = self { place + 1 + distance } else { place - distance }
            guard (0...limit).contains(target) else { throw tooLarge }
            return target
        }
        let target = try position(current: nil, through: Int(Int32.max))
        guard target <= limit else { throw AckError(.badArgument, "Bad song index") }
        return target
    }
}

/// `START:END` in seconds; either side may be empty.
struct SongRange {
    var range: Song.Range?

    init(parsing word: String) throws(AckError) {
        let bad = AckError(.badArgument, "Bad range")
        let parts = word.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw bad }
        let start = parts[0].isEmpty ? 0 : Double(parts[0])
        let end = parts[1].isEmpty ? nil : Double(parts[1])
        guard let start, parts[1].isEmpty || end != nil else { throw bad }
        guard let checked = Song.Range(checking: start, end: end) else {
            guard max(start, end ?? 0) > Song.Range.limit else { throw bad }
            throw AckError(.badArgument, "Bad range: \(word) (it ends at \(short(Song.Range.limit)) seconds at most)")
        }
        range = start == 0 && end == nil ? nil : checked
    }
}

extension Argument<SongRange> {
    static func songRange(_ name: String = "START:END") -> Self {
        .required(name, SongRange.init(parsing:)).named("start", .part)
    }
}

extension Argument<UInt8> {
    fileprivate static func priority() -> Self {
        .required("PRIORITY", .integer(0...255)) { word throws(AckError) in UInt8(try parseInteger(word, in: 0...255)) }
    }
}

extension Argument<TagType> {
    static func tag(_ name: String) -> Self {
        .required(name) { word throws(AckError) in
            guard let tag = TagType(name: word) else { throw AckError(.badArgument, "Unknown tag type: \(word)") }
            return tag
        }
    }
}
