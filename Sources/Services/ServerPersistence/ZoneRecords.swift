internal import AudioTypes
package import Playlists
internal import Songs
package import StateStore
package import Zones

/// The stored state of a zone, one record for each item; later records replace earlier ones:
///
///     length 3                         the number of songs; those behind are gone
///     song 0 17 0 "a.flac" [0.5 9]     position, id, priority, URI, and the range in seconds if there is one
///     tag 17 Title "A song"            of songs of the network only, behind their record
///     other 17 http://host/            another URL of the same
///     reach 17 public                  which addresses it is fetched from, and which files it may be, for the client that
///                                      added it; else anywhere
///     owner 17 tablet                  who added it, where that is known
///     last-id 17
///     mode repeat|random|single|consume 0|1|oneshot
///     option crossfade|mixrampdb|mixrampdelay|replaygain|speed|pitch VALUE
///     volume 80
///     loaded "A playlist"
///     output NAME 0|1|gone             enabled or not; or moved to another zone
///     route SINK                       empty for the configured one
extension PlayQueue {
    /// Records of the whole state of a zone with this queue, produced lazily.
    ///
    /// - Parameter settings: All but the songs.
    package func allRecords(besides settings: [Record]) -> some Sequence<Record> & SendableMetatype {
        (-1..<count).lazy.flatMap { $0 < 0 ? settings + [lengthRecord] : songRecords($0) }
    }

    /// Records of the songs that have changed since a version of the queue, produced lazily.
    package func records(since version: UInt32) -> some Sequence<Record> & SendableMetatype {
        let positions = positions(changedSince: version)
        return (-1..<positions.count).lazy.flatMap { $0 < 0 ? [lengthRecord] : songRecords(positions[$0]) }
    }

    private var lengthRecord: Record { Record("length", String(count)) }

    private func songRecords(_ position: Int) -> [Record] {
        let entry = self[position]
        var words = [String(position), String(entry.id), String(entry.priority), entry.song.uri]
        if let range = entry.song.range {
            words += [String(range.start)] + (range.end.map { [String($0)] } ?? [])
        }
        var records = [Record("song", words)]
        if let owner = owner(at: position) { records.append(Record("owner", String(entry.id), owner)) }
        if entry.song.reach != .anywhere {
            records.append(Record("reach", String(entry.id), entry.song.reach.text))
        }
        guard hasScheme(entry.song.uri) else { return records }
        for url in entry.song.alternatives { records.append(Record("other", String(entry.id), url)) }
        for (tag, value) in entry.song.tags { records.append(Record("tag", String(entry.id), tag.name, value)) }
        return records
    }
}

extension Zone {
    package var settingRecords: [Record] {
        let modes = queue.modes
        return [
            Record("mode", "repeat", modes.repeats ? "1" : "0"),
            Record("mode", "random", modes.random ? "1" : "0"),
            Record("mode", "single", modes.single.word),
            Record("mode", "consume", modes.consume.word),
            Record("option", "crossfade", String(options.crossfade)),
            Record("option", "mixrampdb", String(options.mixRampThreshold)),
            Record("option", "mixrampdelay", options.mixRampDelay.map { String($0) } ?? "nan"),
            Record("option", "replaygain", options.replayGain.mode.rawValue),
            Record("option", "speed", String(options.speed)),
            Record("option", "pitch", options.keepsPitch ? "timeDomain" : "varispeed"),
            Record("volume", String(volume)),
            Record("loaded", lastLoadedPlaylist),
        ]
    }
}

/// A zone restored from records.
package struct RestoredZone: Sendable {
    package private(set) var songs: [PlayQueue.Saved] = []
    package private(set) var modes = QueueModes()
    package private(set) var options: [String: String] = [:]
    package private(set) var volume: Int?
    package private(set) var lastLoadedPlaylist = ""
    package private(set) var outputs: [String: Bool] = [:]
    package private(set) var route: String?
    package private(set) var lastID: UInt32 = 0
    private var tags: [UInt32: [(TagType, String)]] = [:]
    private var alternatives: [UInt32: [String]] = [:]
    private var reaches: [UInt32: NetworkReach] = [:]
    private var owners: [UInt32: String] = [:]

    /// Applies a record; invalid records, which only an edited file has, are ignored.
    package mutating func apply(_ record: Record) { apply(record.verb, record.arguments) }

    /// Must be called after the last record.
    package mutating func finish() {
        if !owners.isEmpty { for index in songs.indices { songs[index].owner = owners[songs[index].id] } }
        guard !tags.isEmpty || !alternatives.isEmpty || !reaches.isEmpty else { return }
        for index in songs.indices {
            let id = songs[index].id
            guard tags[id] != nil || alternatives[id] != nil || reaches[id] != nil else { continue }
            songs[index].song = songs[index].song.with { fields in
                fields.tags = tags[id] ?? []
                fields.alternatives = alternatives[id] ?? []
                fields.reach = reaches[id] ?? .anywhere
            }
        }
    }

    private mutating func apply(_ verb: String, _ words: [String]) {
        switch (verb, words.count) {
        case ("length", 1): setLength(Int(words[0]) ?? 0)
        case ("song", 4...6): setSong(words)
        case ("tag", 3):
            guard let id = UInt32(words[0]), let tag = TagType(name: words[1]) else { return }
            tags[id, default: []].append((tag, words[2]))
        case ("other", 2): if let id = UInt32(words[0]) { alternatives[id, default: []].append(words[1]) }
        // An unreadable reach must not allow more than was granted.
        case ("reach", 2): if let id = UInt32(words[0]) { reaches[id] = NetworkReach(text: words[1]) ?? .networks([]) }
        case ("owner", 2): if let id = UInt32(words[0]) { owners[id] = words[1] }
        case ("mode", 2): setMode(words[0], words[1])
        case ("option", 2): options[words[0]] = words[1]
        case ("volume", 1): volume = Int(words[0]).map { $0.clamped(to: 0...100) }
        case ("loaded", 1): lastLoadedPlaylist = words[0]
        case ("route", 1): route = words[0]
        case ("output", 2): outputs[words[0]] = words[1] == "gone" ? nil : words[1] == "1"
        default: break
        }
    }

    private static let nothing = PlayQueue.Saved(id: 0, song: Song(uri: ""))

    private mutating func setLength(_ length: Int) {
        guard (0...10_000_000).contains(length) else { return }
        if length < songs.count {
            songs.removeLast(songs.count - length)
        } else {
            songs.append(contentsOf: repeatElement(Self.nothing, count: length - songs.count))
        }
    }

    private mutating func setSong(_ words: [String]) {
        guard let position = Int(words[0]), songs.indices.contains(position), let id = UInt32(words[1]),
            let priority = UInt8(words[2])
        else { return }
        var range: Song.Range?
        if words.count > 4, let start = Double(words[4]) {
            range = Song.Range(checking: start, end: words.count > 5 ? Double(words[5]) : nil)
        }
        tags[id] = nil
        alternatives[id] = nil
        reaches[id] = nil
        owners[id] = nil
        lastID = max(lastID, id)
        songs[position] = PlayQueue.Saved(id: id, priority: priority, song: Song(uri: words[3], range: range))
    }

    private mutating func setMode(_ name: String, _ word: String) {
        switch name {
        case "repeat": modes.repeats = word == "1"
        case "random": modes.random = word == "1"
        case "single": modes.single = .init(word: word)
        case "consume": modes.consume = .init(word: word)
        default: break
        }
    }

    /// Applies the restored state to a zone.
    package func apply(to zone: Zone) {
        zone.restore(songs.filter { !$0.song.uri.isEmpty }, lastID: lastID, modes, volume: volume)
        zone.lastLoadedPlaylist = lastLoadedPlaylist
        zone.change { options in
            if let value = self.options["crossfade"].flatMap({ Int($0) }) {
                options.crossfade = value.clamped(to: PlaybackOptions.crossfades)
            }
            if let value = self.options["mixrampdb"].flatMap(Double.init), PlaybackOptions.thresholds.contains(value) {
                options.mixRampThreshold = value
            }
            if let value = self.options["mixrampdelay"].flatMap(Double.init) {
                options.mixRampDelay = PlaybackOptions.mixRampDelays.contains(value) ? value : nil
            }
            if let mode = self.options["replaygain"].flatMap(ReplayGainMode.init) { options.replayGain.mode = mode }
            if let value = self.options["speed"].flatMap(Double.init), (0.25...4).contains(value) {
                options.speed = value
            }
            if let value = self.options["pitch"] { options.keepsPitch = value != "varispeed" }
        }
    }
}
