internal import LineProtocol
internal import ServerBasics
internal import ServerRequests
internal import TextEncodings

/// Values that are sent whenever they change, to connections in JSON.
let watchCommands: [Row<ConnectionServices>] = [
    Row(
        "watch",
        nil,
        library: .nothing,
        reply: .json(watchedValues),
        .rest("[TOPIC...] [zone NAME...]").named(.optional("topics", .words), .key("zones", .words, word: "zone"))
    ) { request, words in
        .watch(try request.watch(words))
    }
    .notForSchedules(),
    Row("unwatch", nil, library: .nothing) { _ in .unwatch }
        .notForSchedules(),
]

extension Request<ConnectionServices> {
    fileprivate func watch(_ words: [String]) throws(AckError) -> WatchRequest {
        var topics: [Topic] = []
        let names = words.prefix { $0 != "zone" }
        for name in names {
            guard let topic = Topic(rawValue: name) else {
                let known = Topic.allCases.map(\.rawValue).joined(separator: ", ")
                throw badParam("there is no topic '\(name)'; known are \(known)")
            }
            topics.append(topic)
        }
        if topics.isEmpty { topics = Topic.allCases }
        return WatchRequest(topics: topics, zones: try zones(words.dropFirst(names.count)))
    }

    /// - Parameter words: Pairs of `zone` and a name, or `all`.
    private func zones(_ words: ArraySlice<String>) throws(AckError) -> WatchRequest.ZoneChoice? {
        var (names, rest): ([String], ArraySlice<String>) = ([], words)
        while let key = rest.popFirst() {
            guard key == "zone", let name = rest.popFirst() else { throw badParam("watch [TOPIC...] [zone NAME...]") }
            if name != "all" { _ = try knownZone(name) }
            names.append(name)
        }
        if names.contains("all") { return .all }
        return names.isEmpty ? nil : .named(names)
    }
}

/// The JSON schema of a snapshot.
private let watchedValues = JSON.object([
    .init("type", .string("object")),
    .init(
        "properties",
        .object([
            .init("version", .object([.init("type", .string("integer"))])),
            .init("at", .object([.init("type", .string("number"))])),
            .init(
                "values",
                .object([
                    .init("type", .string("array")),
                    .init(
                        "items",
                        .object([
                            .init("type", .string("object")),
                            .init("required", .array([.string("topic"), .string("value")])),
                            .init(
                                "properties",
                                .object([
                                    .init(
                                        "topic",
                                        .object([.init("enum", .array(Topic.allCases.map { .string($0.rawValue) }))])
                                    ),
                                    .init("zone", .object([.init("type", .string("string"))])),
                                ])
                            ),
                        ])
                    ),
                ])
            ),
        ])
    ),
])
