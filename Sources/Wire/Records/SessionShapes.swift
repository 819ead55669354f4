internal import TextEncodings

/// Audio sessions, announcements and timers.
extension RecordShape {
    /// The reply to `session list` and `session info`.
    package static let sessions = RecordShape(
        "session",
        fields: [
            .integer("session"), .anyText("name", or: ""), .anyText("kind", or: ""), .text("owner"), .text("zone"),
            RecordField("sinks", .list(of: .text), ["place"]) { lines in
                let sinks = lines.values("place").compactMap(sinkName)
                return sinks.isEmpty ? .null : .array(sinks.map(JSON.string))
            },
            .text("category"), .text("mode"), .words("options"), .text("policy"), .text("class", or: "normal"),
            .text("state", or: "inactive"), .flag("playing", or: false), .flag("ducked", or: false),
            .flag("muted", or: false), .number("gain", or: 0), .flag("background", or: false),
            .integers("interruptedby", as: "interrupted_by"),
        ]
    )

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
        ]
    )

    /// The reply to `why`.
    package static let causes = RecordShape("cause", fields: [.anyText("cause", or: ""), .text("since")])

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
