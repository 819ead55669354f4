internal import TextEncodings

/// The player of a zone, its outputs and its songs.
extension RecordShape {
    /// The reply to `status`; `pitch`, `stream` and `song` are those of other commands.
    package static let status = RecordShape(
        fields: [
            .word("state", ["play": "playing", "pause": "paused", "stop": "stopped"], or: "stopped"),
            .anyText("partition", as: "zone"),
            .place("song", as: "position"),
            .integer("songid", as: "id"),
            .place("nextsong", as: "next_position"),
            .integer("nextsongid", as: "next_id"),
            .integer("playlistlength", as: "queue_length", or: 0),
            .integer("playlist", as: "queue_version"),
            RecordField("elapsed", ["elapsed", "time"], .schema("number")) { .seconds($0.elapsed) },
            RecordField("duration", ["duration", "time"], .schema("number")) { .seconds($0.duration) },
            .count("volume"),
            .flag("repeat", or: false),
            .flag("random", or: false),
            .word("single", switchWords, or: "off"),
            .word("consume", switchWords, or: "off"),
            .seconds("xfade", as: "crossfade"),
            .number("mixrampdb", as: "mixramp_db"),
            .seconds("mixrampdelay", as: "mixramp_delay"),
            .number("speed", or: 1),
            .anyText("pitch"),
            RecordField("bit_rate", ["bitrate"], .schema("integer")) { lines in
                // In kbit/s; 0 where it is not known.
                .optional(
                    lines["bitrate"].flatMap { Int($0) }.flatMap {
                        (1..<Int.max / 1_000).contains($0) ? $0 * 1_000 : nil
                    }
                )
            },
            .anyText("audio"),
            .anyText("sound"),
            .integer("updating_db", as: "updating"),
            .anyText("interrupted"),
            .anyText("interrupter"),
            .anyText("sleep"),
            .integer("alarm"),
            .text("lastloadedplaylist", as: "last_loaded_playlist"),
            .anyText("stream"),
            .anyText("error"),
        ]
    )

    /// Of the reply to `status`: what is played.
    package static let player = status.only([
        "state", "position", "id", "next_position", "next_id", "duration", "audio", "sound",
        "interrupted", "interrupter", "alarm", "last_loaded_playlist", "error",
    ])

    package static let mixer = status.only(["volume"])

    /// Of the replies to `status` and `replay_gain_status`.
    package static let options = RecordShape(
        fields: status.fields([
            "repeat", "random", "single", "consume", "crossfade", "mixramp_db", "mixramp_delay", "speed",
        ])
            + replayGain.fields
    )

    /// Of the reply to `buffer`: what holds for a while, of network streams only.
    package static let stream = RecordShape(
        fields: buffer.fields(["state", "reason", "live", "connection", "message"]).map { $0.onlyWith("connection") }
    )

    private func only(_ names: Set<String>) -> RecordShape { RecordShape(fields: fields(names)) }

    private func fields(_ names: Set<String>) -> [RecordField] { fields.filter { names.contains($0.name) } }

    private static let switchWords = ["0": "off", "1": "on", "oneshot": "once"]

    /// Songs, folders and playlists, as all lists of them have them.
    package static let songs = RecordShape("file", "directory", "playlist", fields: songFields)

    private static let songFields: [RecordField] = [
        .anyText("file"),
        .anyText("directory"),
        .anyText("playlist"),
        .place("Pos", as: "position"),
        .integer("Id", as: "id"),
        .integer("Prio", as: "priority"),
        RecordField("title", [], .schema("string")) { .optional($0["Title"]) },
        RecordField("artist", [], .schema("string")) { .optional($0.artist) },
        RecordField("album", [], .schema("string")) { .optional($0["Album"]) },
        RecordField("duration", ["duration", "Time"], .schema("number")) { lines in
            .seconds((lines["duration"] ?? lines["Time"]).flatMap { Double($0) })
        },
        .anyText("Range", as: "range"),
        .anyText("Format", as: "format"),
        .anyText("Last-Modified", as: "last_modified"),
        .anyText("Added", as: "added"),
        .tags(as: "tags"),
    ]

    package static let outputs = RecordShape(
        "outputid",
        fields: [
            .place("outputid", as: "output"),
            .anyText("outputname", as: "name"),
            .anyText("plugin"),
            .flag("outputenabled", as: "enabled", or: false),
            .texts("attribute", as: "attributes"),
        ]
    )

    /// The reply to `route outputs`.
    package static let routedOutputs = RecordShape(
        "output",
        fields: [
            .anyText("output"), .flag("enabled", or: false), .text("sink"), .anyText("wanted", or: "default"),
            .text("reason"), .text("previousroute", as: "previous_route"), .text("lost"),
        ],
        omitting: ["format"]
    )

    /// The reply to `buffer`.
    package static let buffer = RecordShape(fields: [
        .word("state", ["waitingToPlayAtSpecifiedRate": "waiting"], or: "paused"),
        .anyText("reason"),
        .number("loadedstart", as: "loaded_start"),
        .number("loadedend", as: "loaded_end"),
        .number("seekablestart", as: "seekable_start"),
        .number("seekableend", as: "seekable_end"),
        .flag("playbackbufferempty", as: "empty", or: false),
        .flag("playbacklikelytokeepup", as: "likely_to_keep_up", or: false),
        // Of network streams only.
        .flag("playbackbufferfull", as: "full", or: false).onlyWith("connection"),
        .number("buffered", or: 0).onlyWith("connection"),
        .integer("bufferedbytes", as: "buffered_bytes", or: 0).onlyWith("connection"),
        .flag("live", or: false).onlyWith("connection"),
        .integer("throughput").onlyWith("connection"),
        .integer("bitrate", as: "bit_rate").onlyWith("connection"),
        .integer("indicatedbitrate", as: "indicated_bit_rate").onlyWith("connection"),
        .anyText("connection"),
        .anyText("connectionerror", as: "message").onlyWith("connection"),
        .integer("attempt", or: 0).onlyWith("connectionerror"),
        .number("nextattempt", as: "next_attempt", or: 0).onlyWith("connectionerror"),
        .number("lostfor", as: "lost_for", or: 0).onlyWith("connectionerror"),
    ])

    /// The reply to `mediaselection`.
    package static let mediaSelection = RecordShape(
        "group",
        fields: [
            .anyText("group"), .flag("automatic"), .flag("allowsempty", as: "allows_empty"),
            .records("options", mediaOptions),
        ]
    )

    /// The reply to `chapters`.
    package static let chapters = RecordShape(
        "chapter",
        fields: [.integer("chapter"), .anyText("title"), .number("start"), .number("end")]
    )

    /// The options of a group in the reply to `mediaselection`.
    package static let mediaOptions = RecordShape(
        "option",
        fields: [
            .integer("option", as: "number"), .flag("selected", or: false), .anyText("language"), .anyText("name"),
            .anyText("codec"), .flag("default", or: false), .flag("forced", or: false),
            .texts("characteristic", as: "characteristics"),
        ]
    )

    /// The reply to `route list`.
    package static let sinks = RecordShape(
        "sink",
        fields: [
            .anyText("sink"), .anyText("description"), .flag("default"), .anyText("porttype", as: "port_type"),
            .number("volume"), .flag("muted"), .flag("current"),
        ]
    )

    /// Positions and ids of a queue's entries, as `plchangesposid` has them.
    package static let entries = RecordShape(
        "cpos",
        fields: [.place("cpos", as: "position"), .integer("Id", as: "id")]
    )

    /// The entries of a queue as `playlist` has them: `0:file: URI`.
    package static let numberedSongs = RecordShape(fields: [.otherTexts()])

    /// The id of an added song.
    package static let addedSong = RecordShape(fields: [.integer("Id", as: "id")])

    /// The reply to `getvol`.
    package static let volume = RecordShape(fields: [.integer("volume")])

    package static let replayGain = RecordShape(fields: [.anyText("replay_gain_mode")])

    package static let speed = RecordShape(fields: [.number("speed")])

    package static let pitch = RecordShape(fields: [.anyText("pitch")])

    /// The names of zones.
    package static let zones = RecordShape("partition", fields: [.anyText("partition", as: "zone")])
}

extension RecordLines {
    /// The whole seconds of old servers' `time`, such as `12:240`.
    private var wholeSeconds: (elapsed: Double, duration: Double)? {
        guard let parts = self["time"]?.split(separator: ":"), parts.count == 2, let elapsed = Int(parts[0]),
            let duration = Int(parts[1])
        else { return nil }
        return (Double(elapsed), Double(duration))
    }

    fileprivate var elapsed: Double? { self["elapsed"].flatMap { Double($0) } ?? wholeSeconds?.elapsed }

    fileprivate var duration: Double? {
        self["duration"].flatMap { Double($0) } ?? wholeSeconds.flatMap { $0.duration > 0 ? $0.duration : nil }
    }

    /// All artists, or those of the album.
    fileprivate var artist: String? {
        let artists = values("Artist")
        return artists.isEmpty ? self["AlbumArtist"] : artists.joined(separator: ", ")
    }
}
