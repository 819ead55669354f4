internal import TextEncodings

/// Audio sessions, announcements and timers.
extension RecordShape {
    /// The reply to `session list` and `session info`.
    package static let sessions = RecordShape(
        "session",
        fields: [
            .integer("session"), .anyText("name", or: ""), .anyText("kind", or: ""), .text("owner"), .text("zone"),
            RecordField("sinks", ["place"], .schema(arrayOf: .schema("string"))) { lines in
                let sinks = lines.values("place").compactMap(sinkName)
                return sinks.isEmpty ? .null : .array(sinks.map(JSON.string))
            },
            .text("category"), .text("mode"), .words("options"), .text("policy"), .text("class", or: "normal"),
            .text("state", or: "inactive"), .flag("playing", or: false), .flag("ducked", or: false),
            .flag("muted", or: false), .number("gain", or: 0), .flag("background", or: false),
            .integers("interruptedby", as: "interrupted_by"), .texts("reason", as: "reasons"),
            .number("outputvolume", as: "output_volume"), .flag("recording"),
            .text("promptstyle", as: "prompt_style"),
            // Of other programs' streams only.
            .integer("process"), .text("program"), .text("application"), .text("role"), .integer("stream"),
            .text("pausedplayer", as: "paused_player"), .text("silencedby", as: "silenced_by"),
            .flag("levelheld", as: "level_held"),
        ]
    )

    /// The number of a session that was opened or has begun.
    package static let session = RecordShape(fields: [.integer("session")])

    /// The reply to `session hint`.
    package static let hint = RecordShape(fields: [
        .flag("otheraudio", as: "other_audio"),
        .flag("secondaryaudioshouldbesilenced", as: "secondary_audio_should_be_silenced"),
    ])

    /// The reply to `session codes`: AVAudioSession's names and their numbers.
    package static let codes = RecordShape(
        "error",
        "reason",
        "type",
        "source",
        "recommendation",
        "option",
        "policy",
        fields: [.otherTexts([.integer("number")])]
    )

    /// The reply to `session permission list`.
    package static let classes = RecordShape(
        "owner",
        fields: [.anyText("owner"), .anyText("kind", as: "class"), .anyText("state")]
    )

    /// The reply to `session players`.
    package static let mediaPlayers = RecordShape(fields: [
        .anyText("mpris"),
        .records("players", RecordShape("player", fields: [.anyText("player"), .anyText("zone")])),
    ])

    /// The reply to `session foreign`.
    package static let foreignStreams = RecordShape(fields: [.anyText("foreign"), .integer("streams")])

    /// The reply to `session send`: a number and its name.
    package static let remoteStatus = RecordShape(fields: [.anyText("status")])

    /// The session that is elected, and what it plays.
    package static let nowPlaying = RecordShape(fields: [
        .integer("session"), .anyText("name"), .anyText("kind"), .text("zone"), .anyText("state"),
        .texts("command", as: "commands"), .otherTexts(),
    ])

    /// The name in a place's words `sink:SERVER/NAME`; `nil` for a zone without a sink.
    private static func sinkName(_ place: String) -> String? {
        place.hasPrefix("sink:") ? place.split(separator: "/").last.map(String.init) : nil
    }

    /// The reply to `session events`; `name` is the session's.
    package static let events = RecordShape(
        "event",
        fields: [
            .integer("event"), .anyText("time", or: ""), .integer("session"), .anyText("name"), .anyText("type"),
            .otherTexts([
                .flag("shouldresume", as: "should_resume"), .number("gain"),
                .anyText("previousroute", as: "previous_route"),
            ]),
        ],
        omitting: ["oldest"]
    )

    /// The reply to `why`.
    package static let causes = RecordShape(
        "cause",
        fields: [
            .anyText("cause", or: ""), .text("since"), .text("reason"), .text("error"), .text("uri"), .text("by"),
            .integer("session"), .text("name"), .text("kind"), .text("class"), .number("gain"), .integer("seconds"),
        ],
        omitting: ["sound", "audio", "sinkaudio"]
    )

    /// The reply to `sleep`.
    package static let sleep = RecordShape(fields: [.anyText("sleep")])

    /// The number of an announcement, an alarm or a schedule that was made.
    package static func number(_ key: String) -> RecordShape { RecordShape(fields: [.integer(key)]) }

    /// The reply to `announcement list` and `announcement info`.
    package static let announcements = RecordShape(
        "announcement",
        fields: [
            .integer("announcement"), .anyText("state"), .anyText("zone"), .text("file"), .text("text"),
            .text("class", or: "normal"), .integer("priority", or: 0), .text("error"),
        ]
    )

    /// The reply to `alarm list` and `alarm info`.
    package static let alarms = RecordShape("alarm", fields: [.others()])

    /// The reply to `alarm holidays`.
    package static let holidays = RecordShape("holiday", fields: [.anyText("holiday")])

    /// The reply to `schedule list` and `schedule info`.
    package static let schedules = RecordShape(
        "schedule",
        fields: [
            .otherTexts([.integer("schedule")]), .texts("command", as: "commands", isAlways: true),
        ]
    )
}
