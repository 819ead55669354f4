internal import TextEncodings

/// The library, stored playlists and stickers.
extension RecordShape {
    /// The reply to `stats`.
    package static let stats = RecordShape(fields: [
        .integer("artists", or: 0), .integer("albums", or: 0), .integer("songs", or: 0), .integer("uptime", or: 0),
        .integer("playtime", or: 0), .integer("db_playtime", or: 0), .integer("db_update", or: 0),
    ])

    /// The reply to `library status`; `songs` is that of `stats`.
    package static let library = RecordShape(
        fields: [
            .flag("limited", or: false),
            .flag("complete", or: false),
            .flag("watched", or: false),
            .flag("paused", or: false),
            .integer("songs"),
            .anyText("database", or: ""),
            .integer("measured"),
            .integer("unmeasured", or: 0).onlyWith("measured"),
            .flag("measuring", or: false).onlyWith("measured"),
            .anyText("error", as: "message"),
            .integer("updating_db", as: "updating"),
            .integer("percent", or: 0).onlyWith("updating_db"),
            .integer("files", or: 0).onlyWith("updating_db"),
            .integer("problems", or: 0).onlyWith("updating_db"),
            .integer("rate", or: 0).onlyWith("updating_db"),
            .anyText("folder", or: "").onlyWith("updating_db"),
        ],
        omitting: ["unwatched", "waiting", "read", "elapsed"]
    )

    /// The number of a library update.
    package static let update = RecordShape(fields: [.integer("updating_db", as: "updating")])

    /// Numbers of songs, in all or for each value of a tag.
    package static func count(groupedBy tag: String?) -> RecordShape {
        let numbers: [RecordField] = [.integer("songs"), .integer("playtime")]
        guard let tag else { return RecordShape(fields: numbers) }
        return RecordShape(tag, fields: [.anyText(tag, as: tag.lowercased())] + numbers)
    }

    /// Values of a tag, each with the values of others that it is listed under.
    package static func values(of tag: String, groupedBy groups: [String]) -> RecordShape {
        RecordShape(tag, headings: groups, fields: ([tag] + groups).map { .anyText($0, as: $0.lowercased()) })
    }

    /// The files of a folder, as `listfiles` has them.
    package static let files = RecordShape(
        "file",
        "directory",
        fields: [
            .anyText("file"), .anyText("directory"), .integer("size"), .anyText("Last-Modified", as: "last_modified"),
        ]
    )

    /// The comments of a file under their names there.
    package static let comments = RecordShape(fields: [.tags(as: "comments")])

    package static let fingerprint = RecordShape(fields: [.anyText("chromaprint")])

    /// A piece of a picture; `binary` is its length in bytes, and `data` itself, in base64.
    package static let picture = RecordShape(fields: [
        .integer("size"), .anyText("type"), .anyText("version"), .integer("binary"), .anyText("data"),
    ])

    /// Stickers of one object.
    package static let stickers = RecordShape("sticker", fields: [.stickerName, .stickerValue])

    /// Stickers that were found: each behind the object that has it.
    package static func foundStickers(of type: String) -> RecordShape {
        let key = type == "song" ? "file" : type
        return RecordShape(key, fields: [.anyText(key, as: key.lowercased()), .stickerName, .stickerValue])
    }

    package static let stickerNames = RecordShape("name", fields: [.anyText("name"), .anyText("type")])

    package static let stickerTypes = RecordShape("stickertype", fields: [.anyText("stickertype", as: "type")])

    package static let mounts = RecordShape("mount", fields: [.anyText("mount"), .anyText("storage")])

    /// The reply to `library problems`.
    package static let problems = RecordShape("file", fields: [.anyText("file"), .anyText("problem", or: "")])

    /// The reply to `library duplicates`.
    package static let duplicates = RecordShape("group", fields: [.texts("file", as: "files", isAlways: true)])

    /// The reply to `library media`.
    package static let media = RecordShape(
        "file",
        fields: [
            .anyText("file"), .anyText("kind"), .integer("width"), .integer("height"), .anyText("captured"),
            .seconds("duration"), .integer("size"), .anyText("Last-Modified", as: "last_modified"),
            .flag("cover", or: false),
        ]
    )

    /// The replies to `picking items` and `picking selection`: the same, with the place of what is chosen among that.
    package static let pickable = RecordShape(
        "file",
        fields: media.fields + pickableFacts + [.place("selected", as: "selected")]
    )

    /// Of a song that is or can be picked.
    private static let pickableFacts: [RecordField] = [
        .anyText("Title", as: "title"), .anyText("Artist", as: "artist"), .anyText("Album", as: "album"),
    ]

    /// The replies to `picker list`, `picking list` and `picking take`.
    package static let pickerRequests = RecordShape(
        "request",
        fields: [
            .anyText("request"), .anyText("state"), .anyText("from"), .anyText("prompt"), .anyText("kind"),
            .anyText("purpose", or: "once"), .anyText("representation", or: "compatible"), .anyText("filter"),
            .integer("limit"), .integer("chosen"),
            .integer("preselected"), .integer("version"), .flag("ordered", or: false), .flag("lasting", or: false),
            .flag("continuous", or: false), .integer("expires"),
        ]
    )

    /// The reply to `picker items`.
    package static let picked = RecordShape(
        "kind",
        fields: [
            .anyText("kind"), .anyText("identifier"), .anyText("handle"), .anyText("file"), .anyText("type"),
            .anyText("name"),
            .integer("size"),
            .integer("width"), .integer("height"), .seconds("duration"),
        ] + pickableFacts
    )

    /// The reply to `library loudness`.
    package static let loudness = RecordShape(fields: [
        .anyText("file"), .anyText("source", or: ""), .number("loudness"), .number("album_loudness"),
        .number("track_gain"), .number("album_gain"), .number("track_peak"), .number("album_peak"),
    ])

    /// The reply to `identify`.
    package static let identifications = RecordShape(
        "identifier",
        fields: [
            .anyText("identifier"), .anyText("file"), .anyText("error"), .anyText("id"),
            .texts("candidate", as: "candidates"), .texts("was", as: "was"),
        ]
    )

    /// The reply to `lyrics`; `uri` is the song that was asked for.
    package static let lyrics = RecordShape(fields: [
        .anyText("uri"),
        .anyText("source", or: ""),
        .flag("synced", or: false),
        .anyText("language"),
        RecordField("lines", ["time", "line"], .schema(arrayOf: .schema("object"))) { .array($0.lyrics) },
    ])
}

extension RecordField {
    /// The name in a line `sticker: NAME=VALUE`.
    fileprivate static let stickerName = RecordField("name", ["sticker"], .schema("string")) { lines in
        .optional(lines["sticker"].map { String($0.prefix { $0 != "=" }) })
    }

    fileprivate static let stickerValue = RecordField("value", ["sticker"], .schema("string")) { lines in
        .optional(lines["sticker"].map { String($0.drop { $0 != "=" }.dropFirst()) })
    }
}

extension RecordLines {
    /// Each line of lyrics, behind its time where it has one.
    fileprivate var lyrics: [JSON] {
        var result: [JSON] = []
        var time: Double?
        for line in lines {
            switch line.key {
            case "time": time = Double(line.value)
            case "line":
                result.append(.compact([.init("time", .seconds(time)), .init("line", .string(line.value))]))
                time = nil
            default: break
            }
        }
        return result
    }
}
