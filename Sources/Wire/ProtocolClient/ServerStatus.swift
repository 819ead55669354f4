/// The reply to `status`.
package struct ServerStatus: Sendable, Hashable {
    package let reply: ServerReply
    package enum State: String, Sendable, Hashable {
        case playing = "play"
        case paused = "pause"
        case stopped = "stop"
    }

    package var state: State
    /// In percent; `nil` without a mixer.
    package var volume: Int?
    package var `repeat`: Bool
    package var random: Bool
    /// `0`, `1` or `oneshot`.
    package var single: String
    package var consume: String
    package var zone: String?
    package var queueLength: Int
    /// The current song's position, from 0.
    package var position: Int?
    package var songID: Int?
    package var nextPosition: Int?
    package var elapsed: Double?
    package var duration: Double?
    /// Both in whole seconds, rounded by the server.
    package var wholeSeconds: WholeSeconds?
    package var bitRate: Int?
    /// Sample rate, bits and channels, such as `44100:16:2`.
    package var audio: String?
    /// Segue's extension: what happens to the samples on their way to the sink, such as `bit-perfect`.
    package var sound: String?
    package var crossfade: Double?
    package var mixRampDecibels: Double?
    package var mixRampDelay: Double?
    package var updateJob: Int?
    package var error: String?
    /// Segue's extension; 1 for servers without it.
    package var speed: Double
    package var pitch: String?
    /// Segue's extension: the session that interrupts this zone.
    package var interrupterID: String?
    /// Segue's extension: that session in words, such as `a call 'Anna'`.
    package var interrupter: String?
    /// Segue's extension: the seconds until the sleep timer pauses the zone, or `endofsong`, `chapter` or `queue`.
    package var sleep: String?

    package struct WholeSeconds: Sendable, Hashable {
        package var elapsed: Int
        /// 0 when unknown.
        package var duration: Int

        package init(elapsed: Int, duration: Int) {
            self.elapsed = elapsed
            self.duration = duration
        }
    }

    package init(_ reply: ServerReply) {
        self.reply = reply
        var values: [String: String] = [:]
        for pair in reply.pairs { values[pair.key] = pair.value }
        func number(_ key: String) -> Int? { values[key].flatMap { Int($0) } }
        func decimal(_ key: String) -> Double? {
            values[key].flatMap { Double($0) }.flatMap { $0.isFinite ? $0 : nil }
        }
        state = values["state"].flatMap(State.init) ?? .stopped
        volume = number("volume").flatMap { $0 < 0 ? nil : $0 }
        `repeat` = values["repeat"] == "1"
        random = values["random"] == "1"
        single = values["single"] ?? "0"
        consume = values["consume"] ?? "0"
        zone = values["partition"]
        queueLength = number("playlistlength") ?? 0
        position = number("song")
        songID = number("songid")
        nextPosition = number("nextsong")
        if let parts = values["time"]?.split(separator: ":"), parts.count == 2, let elapsed = Int(parts[0]),
            let duration = Int(parts[1])
        {
            wholeSeconds = WholeSeconds(elapsed: elapsed, duration: duration)
        }
        elapsed = decimal("elapsed") ?? wholeSeconds.map { Double($0.elapsed) }
        duration = decimal("duration") ?? wholeSeconds.flatMap { $0.duration > 0 ? Double($0.duration) : nil }
        bitRate = number("bitrate").flatMap { $0 > 0 ? $0 : nil }
        audio = values["audio"]
        sound = values["sound"]
        crossfade = decimal("xfade")
        mixRampDecibels = decimal("mixrampdb")
        mixRampDelay = decimal("mixrampdelay")
        updateJob = number("updating_db")
        error = values["error"]
        speed = decimal("speed") ?? 1
        pitch = values["pitch"]
        interrupterID = values["interrupted"]
        interrupter = values["interrupter"]
        sleep = values["sleep"]
    }
}

/// A song as a server lists it.
package struct RemoteSong: Sendable, Hashable {
    package var uri: String
    /// All other lines, in the server's order; tags may occur several times.
    package var pairs: [Pair]

    /// All lines.
    package var reply: ServerReply { ServerReply(pairs: [Pair("file", uri)] + pairs) }

    /// `nil` when the block is not a song.
    package init?(_ block: ServerReply) {
        guard let first = block.pairs.first, first.key == "file" else { return nil }
        uri = first.value
        pairs = Array(block.pairs.dropFirst())
    }

    /// The first value of a key, which is case-sensitive.
    package subscript(key: String) -> String? { pairs.first { $0.key == key }?.value }

    package func values(_ key: String) -> [String] { pairs.lazy.filter { $0.key == key }.map(\.value) }

    /// From 0; `nil` outside of the queue.
    package var position: Int? { self["Pos"].flatMap { Int($0) } }
    package var id: Int? { self["Id"].flatMap { Int($0) } }
    package var priority: Int? { self["Prio"].flatMap { Int($0) } }
    package var duration: Double? { (self["duration"] ?? self["Time"]).flatMap { Double($0) } }
    package var title: String? { self["Title"] }
    package var artist: String? {
        let artists = values("Artist")
        return artists.isEmpty ? self["AlbumArtist"] : artists.joined(separator: ", ")
    }
    package var album: String? { self["Album"] }
}

extension ServerReply {
    /// The songs in this reply.
    package var songs: [RemoteSong] {
        groups(startingWith: ["file", "directory", "playlist"]).compactMap(RemoteSong.init)
    }
}
