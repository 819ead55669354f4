internal import LineProtocol
internal import ServerBasics
internal import ServerRights
internal import Settings
internal import Songs

/// The connection itself (the manual's section "Connection settings").
let connectionCommands: [Command] = [
    // MPD ignores any arguments.
    Command("close", nil, library: .nothing, .rest("")) { _, _ in .close }
        .notForSchedules(),
    Command("kill", .owner, library: .nothing, .rest("")) { client, _ in
        client.server.parts.log(.notice, "shutdown requested by \(client.identity.name)")
        client.server.parts.stop()
        return .close
    },
    .plain("ping", nil, library: .nothing) { _ in },
    Command("password", nil, library: .nothing, .text("PASSWORD")) { client, word in try client.give(password: word) }
        .notForSchedules(),
    .plain("binarylimit", nil, library: .nothing, .unsigned("SIZE")) { client, size in
        guard size >= 64 else { throw AckError(.badArgument, "Value too small") }
        guard size <= client.server.limits.maxOutputBufferBytes - 4_096 else {
            throw AckError(.badArgument, "Number too large: \(size)")
        }
        client.binaryLimit = size
    },
    .plain("tagtypes", nil, library: .nothing, .rest("[disable|enable|clear|all|available|reset TAG...]")) {
        client,
        words in
        try client.changeTags(words)
    },
    .plain("protocol", nil, library: .nothing, .rest("[disable|enable|clear|all|available FEATURE...]")) {
        client,
        words in
        try client.changeFeatures(words)
    },
]

extension Client {
    fileprivate func changeTags(_ words: [String]) throws(AckError) {
        guard let verb = words.first else { return listTags(tags) }
        let names = words.dropFirst()
        switch verb {
        case "all":
            try rejectArguments(names)
            tags = server.configuration.tags
        case "clear":
            try rejectArguments(names)
            tags = []
        case "available":
            try rejectArguments(names)
            listTags(server.configuration.tags)
        case "enable": tags.formUnion(try mask(names))
        case "disable": tags.subtract(try mask(names))
        case "reset": tags = try mask(names)
        default: throw AckError(.badArgument, "Unknown sub command")
        }
        tags.formIntersection(server.configuration.tags)
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
            if hidesPlaylistsInRoot { reply.line("feature", Self.feature) }
            return
        }
        let names = words.dropFirst()
        switch verb {
        case "all":
            try rejectArguments(names)
            hidesPlaylistsInRoot = true
        case "clear":
            try rejectArguments(names)
            hidesPlaylistsInRoot = false
        case "available":
            try rejectArguments(names)
            reply.line("feature", Self.feature)
        case "enable", "disable":
            guard !names.isEmpty else { throw AckError(.badArgument, "Not enough arguments") }
            guard names.allSatisfy({ $0 == Self.feature }) else {
                throw AckError(.badArgument, "Unknown protocol feature")
            }
            hidesPlaylistsInRoot = verb == "enable"
        default: throw AckError(.badArgument, "Unknown sub command")
        }
    }
}
