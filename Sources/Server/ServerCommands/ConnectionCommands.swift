internal import LineProtocol
internal import Records
internal import ServerBasics
internal import ServerRequests
internal import ServerRights
internal import Settings
internal import Songs

/// The connection itself (the manual's section "Connection settings").
let connectionCommands: [Row<ConnectionServices>] = [
    // MPD ignores any arguments.
    Row("close", nil, library: .nothing, .rest("")) { _, _ in .close }
        .notForSchedules(),
    Row("kill", .owner, library: .nothing, .rest("")) { request, _ in
        request.log(.notice, "shutdown requested by \(request.client.identity.name)")
        request.services.stop()
        return .close
    },
    .plain("ping", nil, library: .nothing) { _ in },
    Row("json", nil, library: .nothing) { _ in .json }
        .notForSchedules(),
    .plain("binarylimit", nil, library: .nothing, .unsigned("SIZE")) { request, size in
        guard size >= 64 else { throw AckError(.badArgument, "Value too small") }
        guard size <= request.limits.maxOutputBufferBytes - 4_096 else {
            throw AckError(.badArgument, "Number too large: \(size)")
        }
        request.client.binaryLimit = size
    },
    .plain(
        "tagtypes",
        nil,
        library: .nothing,
        reply: .records(.tagTypes, alsoFor: ["available"]),
        .rest("[disable|enable|clear|all|available|reset TAG...]")
    ) {
        request,
        words in
        try request.changeTags(words)
    }
    .verbs(
        RequestForm(nil, []),
        .verb("disable", Parameter("tags", .words)),
        .verb("enable", Parameter("tags", .words)),
        .verb("reset", Parameter("tags", .words)),
        .verb("clear"),
        .verb("all"),
        .verb("available")
    ),
    .plain(
        "protocol",
        nil,
        library: .nothing,
        reply: .records(.features, alsoFor: ["available"]),
        .rest("[disable|enable|clear|all|available FEATURE...]")
    ) {
        request,
        words in
        try request.changeFeatures(words)
    }
    .verbs(
        RequestForm(nil, []),
        .verb("disable", Parameter("features", .words)),
        .verb("enable", Parameter("features", .words)),
        .verb("clear"),
        .verb("all"),
        .verb("available")
    ),
]

extension Request<ConnectionServices> {
    fileprivate func changeTags(_ words: [String]) throws(AckError) {
        guard let verb = words.first else { return listTags(tags) }
        let names = words.dropFirst()
        switch verb {
        case "all":
            try rejectArguments(names)
            client.tags = configuration.tags
        case "clear":
            try rejectArguments(names)
            client.tags = []
        case "available":
            try rejectArguments(names)
            listTags(configuration.tags)
        case "enable": client.tags.formUnion(try mask(names))
        case "disable": client.tags.subtract(try mask(names))
        case "reset": client.tags = try mask(names)
        default: throw AckError(.badArgument, "Unknown sub command")
        }
        client.tags.formIntersection(configuration.tags)
    }

    private func listTags(_ tags: TagMask) {
        for tag in TagType.allCases where tags.contains(tag) { reply.line("tagtype", tag.name) }
    }

    private func mask(_ names: ArraySlice<String>) throws(AckError) -> TagMask {
        guard !names.isEmpty else { throw AckError(.badArgument, "Not enough arguments") }
        var tags: [TagType] = []
        for name in names {
            guard let tag = TagType(name: name) else { throw AckError(.badArgument, "Unknown tag type") }
            tags.append(tag)
        }
        return TagMask(tags)
    }

    private func rejectArguments(_ words: ArraySlice<String>) throws(AckError) {
        guard words.isEmpty else { throw AckError(.badArgument, "Too many arguments") }
    }

    private static let feature = "hide_playlists_in_root"

    fileprivate func changeFeatures(_ words: [String]) throws(AckError) {
        guard let verb = words.first else {
            if client.hidesPlaylistsInRoot { reply.line("feature", Self.feature) }
            return
        }
        let names = words.dropFirst()
        switch verb {
        case "all":
            try rejectArguments(names)
            client.hidesPlaylistsInRoot = true
        case "clear":
            try rejectArguments(names)
            client.hidesPlaylistsInRoot = false
        case "available":
            try rejectArguments(names)
            reply.line("feature", Self.feature)
        case "enable", "disable":
            guard !names.isEmpty else { throw AckError(.badArgument, "Not enough arguments") }
            guard names.allSatisfy({ $0 == Self.feature }) else {
                throw AckError(.badArgument, "Unknown protocol feature")
            }
            client.hidesPlaylistsInRoot = verb == "enable"
        default: throw AckError(.badArgument, "Unknown sub command")
        }
    }
}
