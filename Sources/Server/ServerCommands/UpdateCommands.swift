internal import LibraryIndex
internal import LibraryScan
internal import LibraryService
internal import LineProtocol
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import Songs

/// Library updates, and their progress.
let updateCommands: [Row<MusicServices>] = [
    .plain("update", .control, library: .place, reply: .records(.update), .optional(.text("URI"))) { request, uri in
        try request.update(uri, rereads: false)
    },
    .plain("rescan", .control, library: .place, reply: .records(.update), .optional(.text("URI"))) { request, uri in
        try request.update(uri, rereads: true)
    },
    Row(
        "library",
        .read,
        library: .ofLibrary,
        reply: .verbs([
            "status": .library, "problems": .problems, "duplicates": .duplicates, "loudness": .loudness,
            "media": .media,
        ]),
        .verb(
            "status|problems|duplicates|loudness|media|pause|resume",
            needing: ["pause": .control, "resume": .control]
        ),
        .rest("[image|video] [URI] [filter FILTER] [window START:END]")
    ) { request, verb, words in
        if verb == "media" { return try request.listMedia(MediaRequest(words)) }
        if verb == "loudness", let uri = words.first, words.count == 1 { return try request.showLoudness(String(uri)) }
        guard words.isEmpty else { throw AckError(.badArgument, "too many arguments for \"library \(verb)\"") }
        return try request.showLibrary(verb)
    }
    .verbs(
        .verb("status"),
        .verb("problems"),
        .verb("duplicates"),
        .verb("loudness", Parameter("uri")),
        .verb(
            "media",
            .optional("kind", .oneOf(["image", "video"])),
            .optional("uri"),
            .key("filter"),
            .key("window", .window)
        ),
        .verb("pause"),
        .verb("resume")
    ),
]

extension LibraryRule {
    fileprivate static let ofLibrary = LibraryRule { words in
        words.first == "loudness" ? .named(words.dropFirst().prefix(1).map { .song($0) }) : .limited
    }
}

extension Request<MusicServices> {
    fileprivate func update(_ uri: String?, rereads: Bool) throws {
        let uri = uri == "/" ? "" : uri ?? ""
        guard uri.isEmpty || isLocalPath(uri) else { throw AckError(.badArgument, "Malformed path") }
        guard let number = try services.upkeep.requireLibrary().update(uri, rereads: rereads) else {
            throw AckError(.alreadyUpdating, "already updating")
        }
        reply.line("updating_db", number)
    }

    fileprivate func showLibrary(_ verb: String) throws -> Outcome {
        let library = try services.upkeep.requireLibrary()
        switch verb {
        case "status": reply.append(library.status, isLimited: client.visible != nil)
        case "problems":
            return try ask { reader in
                try reader.problems()
            } then: { problems in
                for problem in problems {
                    reply.line("file", problem.uri)
                    reply.line("problem", problem.reason)
                }
                return .done
            }
        case "duplicates":
            return try ask { reader in
                try reader.duplicates()
            } then: { groups in
                for (index, group) in groups.enumerated() {
                    reply.line("group", index + 1)
                    for uri in group { reply.line("file", uri) }
                }
                return .done
            }
        case "pause", "resume":
            library.setPaused(verb == "pause")
            notify(.update)
        default: throw AckError(.badArgument, "library status|problems|duplicates|loudness URI|media|pause|resume")
        }
        return .done
    }
}

extension Reply {
    /// - Parameter isLimited: Whether the client sees a part of the library, and neither places nor counts.
    fileprivate mutating func append(_ status: LibraryStatus, isLimited: Bool) {
        if isLimited { line("limited", true) }
        if !isLimited {
            if let failure = status.failure { line("error", failure) }
            line("database", status.path)
        }
        line("complete", status.isComplete)
        line("watched", status.isWatched)
        for uri in status.unwatched where !isLimited { line("unwatched", uri) }
        line("paused", status.isPaused)
        if let counts = status.loudness, !isLimited {
            line("measured", counts.measured)
            line("unmeasured", counts.unmeasured)
            line("measuring", status.measuresLoudness)
        }
        guard let job = status.job else { return }
        line("updating_db", job)
        line("waiting", status.waiting)
        guard let progress = status.progress else { return }
        line("percent", Int(saturating: progress.fraction * 100))
        if isLimited { return }
        line("files", progress.files)
        line("read", progress.filesRead)
        line("problems", progress.problems)
        line("rate", Int(saturating: progress.rate))
        line("elapsed", seconds: progress.elapsed / .seconds(1))
        line("folder", progress.folder)
    }
}
