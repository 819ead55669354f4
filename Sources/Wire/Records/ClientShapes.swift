internal import TextEncodings

/// Clients, their rights, and what became of them.
extension RecordShape {
    /// The reply to `clients list` and `clients show`.
    package static let clients = RecordShape(
        "client",
        fields: [
            .anyText("client"), .anyText("status"), .anyText("permissions"), .anyText("granted"),
            .anyText("classes"),
            .texts("allowed", as: "zones", isAlways: true), .anyText("until"), .anyText("hours"),
            .anyText("quiet-hours", as: "quiet_hours"), .anyText("used"),
            .integer("songs"), .flag("password"), .texts("volume", as: "volumes"), .number("speed"),
            .integer("songs-per-hour", as: "songs_per_hour"),
            .integer("announcements-per-minute", as: "announcements_per_minute"),
            .integer("megabytes-per-hour", as: "megabytes_per_hour"), .anyText("order"),
            .anyText("commands"),
            .anyText("library"), .texts("folder", as: "folders"), .texts("playlist", as: "playlists"),
            .texts("filter", as: "filters"), .texts("item", as: "items"), .records("connections", connections),
        ]
    )

    /// A password that was made.
    package static let password = RecordShape(fields: [.anyText("password")])

    /// A ticket for addresses; it expires after so many seconds.
    package static let ticket = RecordShape(fields: [.anyText("ticket"), .integer("expires")])

    private static let connections = RecordShape(
        "connection",
        fields: [
            .integer("connection"), .anyText("since"), .anyText("from"), .integer("process"), .anyText("program"),
            .anyText("partition", as: "zone"), .integer("idle"),
        ]
    )

    /// The reply to `ceiling list`.
    package static let ceilings = RecordShape(
        "zone",
        fields: [
            .anyText("zone"), .integer("most"), .integer("volume"), .integer("alarms"), .number("speed"),
            .anyText("hours"), .anyText("until"),
        ]
    )

    /// The reply to `pairing list`.
    package static let pairingRequests = RecordShape(
        "request",
        fields: [.anyText("request"), .anyText("code", or: ""), .anyText("from"), .integer("expires")]
    )

    /// The reply to `audit list` and `audit why`.
    package static let audit = RecordShape(
        "entry",
        fields: [
            .anyText("entry"), .anyText("time"), .anyText("client"), .anyText("text"), .integer("count", or: 1),
        ],
        omitting: ["number"]
    )

    /// The reply to `audit doors`.
    package static let doors = RecordShape(
        "door",
        fields: [
            .anyText("door"), .anyText("advice"), .anyText("state"), .text("reason"), .text("address"),
            .text("permissions"), .text("file"), .text("output"), .integer("port"), .text("error"), .text("name"),
            .integer("hours"), .integer("days"),
        ]
    )

    /// The replies to `pair`.
    package static let pairing = RecordShape(fields: [
        .anyText("client"), .anyText("name"), .anyText("state"), .anyText("token"), .anyText("code"),
        .integer("expires"), .anyText("nonce"), .anyText("proof"), .anyText("invitation"), .anyText("permissions"),
        .texts("allowed", as: "zones"), .anyText("until"), .anyText("hours"),
        .anyText("quiet-hours", as: "quiet_hours"), .integer("songs"),
        .integer("songs-per-hour", as: "songs_per_hour"), .integer("megabytes-per-hour", as: "megabytes_per_hour"),
        .anyText("commands"), .texts("volume", as: "volumes"),
    ])

    /// The reply to `pairing invite`.
    package static let invitation = RecordShape(fields: [
        .anyText("name"), .anyText("invitation"), .integer("expires"), .anyText("pin"),
        .integers("port", as: "ports"), .integers("tlsport", as: "tls_ports"), .texts("host", as: "hosts"),
        .anyText("hostname"), .anyText("page"), .texts("qr", as: "qr"),
    ])

    // MARK: The server

    /// Names of commands.
    package static let commands = RecordShape("command", fields: [.anyText("command")])

    package static let configuration = RecordShape(fields: [
        .anyText("music_directory"), .anyText("playlist_directory"), .flag("pcre"),
    ])

    package static let urlHandlers = RecordShape("handler", fields: [.anyText("handler")])

    package static let decoders = RecordShape(
        "plugin",
        fields: [.anyText("plugin"), .texts("suffix", as: "suffixes"), .texts("mime_type", as: "mime_types")]
    )

    package static let tagTypes = RecordShape("tagtype", fields: [.anyText("tagtype", as: "tag")])

    package static let features = RecordShape("feature", fields: [.anyText("feature")])

    /// The subsystems in the reply to `idle`.
    package static let changes = RecordShape(fields: [.texts("changed", as: "changed")])

    package static let channels = RecordShape("channel", fields: [.anyText("channel")])

    package static let messages = RecordShape("channel", fields: [.anyText("channel"), .anyText("message")])
}
