internal import LineProtocol
internal import MusicDirectories
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerPersistence
internal import ServerRequests
internal import Songs
internal import Stickers
internal import Threads

/// Names and values attached to songs and other objects (the manual's section "Stickers").
let stickerCommands: [Row<MusicServices>] = [
    Row(
        "sticker",
        .control,
        library: .ofSticker,
        reply: .ofSticker,
        .rest("get|set|inc|dec|delete|list|find TYPE URI [...]", fewest: 3)
    ) { request, words in
        let order = try StickerOrder(words)
        guard order.type == .song, order.verb != "find", order.verb != "delete",
            let music = request.services.media.directory,
            !hasScheme(order.uri)
        else { return try request.carryOut(order) }
        // Only songs that exist can have stickers.
        return try request.perform(on: .files(order.uri)) {
            do { _ = try music.unexamined(order.uri) } catch { throw AckError(.doesNotExist, "No such song") }
        } then: {
            try request.carryOut(order)
        }
    }
    .verbs(
        .verb("get", Parameter("type"), Parameter("uri"), Parameter("name")),
        .verb("set", Parameter("type"), Parameter("uri"), Parameter("name"), Parameter("value", .scalar)),
        .verb("inc", Parameter("type"), Parameter("uri"), Parameter("name"), Parameter("value", .number)),
        .verb("dec", Parameter("type"), Parameter("uri"), Parameter("name"), Parameter("value", .number)),
        .verb("delete", Parameter("type"), Parameter("uri"), .optional("name")),
        .verb("list", Parameter("type"), Parameter("uri")),
        .verb(
            "find",
            Parameter("type"),
            Parameter("uri"),
            Parameter("name"),
            Parameter("operator", .comparison(StickerCondition.Comparison.allCases.map(\.rawValue)), isRequired: false),
            .key("sort"),
            .key("window", .window)
        )
    ),
    .plain("stickernames", .control, library: .withheld, reply: .records(.stickerNames)) { request in
        for name in request.services.stickers.store.names() { request.reply.line("name", name) }
    },
    .plain("stickertypes", .control, library: .nothing, reply: .records(.stickerTypes)) { request in
        for type in StickerType.all { request.reply.line("stickertype", type.name) }
    },
    .plain("stickernamestypes", .control, library: .withheld, reply: .records(.stickerNames), .optional(.text("TYPE")))
    { request, name in
        let type = try name.map { name throws(AckError) in try stickerType(name) }
        for (name, type) in request.services.stickers.store.namesAndTypes(of: type) {
            request.reply.line("name", name)
            request.reply.line("type", type.name)
        }
    },
]

extension LibraryRule {
    fileprivate static let ofSticker = LibraryRule { words in
        guard words.count >= 3, words[1] == "song" else { return words.isEmpty ? .limited : .withheld }
        return words[0] == "find" ? .limited : .named([.song(words[2])])
    }
}

extension ReplyRule {
    fileprivate static let ofSticker = ReplyRule(typical: ["song"]) { words in
        switch words.first {
        case "get", "list": .stickers
        case "find": words.dropFirst().first.flatMap { StickerType($0) }.map { .foundStickers(of: $0.name) }
        default: nil
        }
    }
}

private func stickerType(_ name: String) throws(AckError) -> StickerType {
    guard let type = StickerType(name) else { throw AckError(.badArgument, "unknown sticker domain") }
    return type
}

/// The parsed arguments of `sticker VERB TYPE URI …`.
private struct StickerOrder: Sendable {
    let verb: String
    let type: StickerType
    let uri: String
    let rest: [String]

    init(_ words: [String]) throws(AckError) {
        let counts = [
            "get": 1...1, "set": 2...2, "inc": 2...2, "dec": 2...2, "delete": 0...1, "list": 0...0, "find": 1...7,
        ]
        guard let count = counts[words[0]], count.contains(words.count - 3) else {
            throw AckError(.badArgument, "bad request")
        }
        verb = words[0]
        type = try stickerType(words[1])
        // Songs are keyed by their URIs without credentials, as clients see them, so that lookups reveal no credentials.
        uri = type == .song ? withoutCredentials(words[2]) : words[2]
        rest = Array(words.dropFirst(3))
    }
}

extension Request<MusicServices> {
    fileprivate func carryOut(_ order: StickerOrder) throws -> Outcome {
        switch order.verb {
        case "get":
            guard let value = services.stickers.store.get(order.type, order.uri, order.rest[0]) else {
                throw noSticker
            }
            reply.appendSticker(order.rest[0], value)
        case "list":
            for (name, value) in services.stickers.store.list(order.type, order.uri) {
                reply.appendSticker(name, value)
            }
        case "set":
            try services.stickers.requireRoom(for: order.rest[0], order.rest[1], of: order.uri, order.type)
            change { $0.set(order.type, order.uri, order.rest[0], to: order.rest[1]) }
        case "inc", "dec":
            // A number has at most 20 digits.
            try services.stickers.requireRoom(for: order.rest[0], "", of: order.uri, order.type)
            let amount = try parseInteger(order.rest[1], in: 0...Int(Int32.max))
            change { stickers in
                stickers.increase(
                    order.type,
                    order.uri,
                    order.rest[0],
                    by: order.verb == "inc" ? amount : -amount
                )
            }
        case "delete":
            guard change({ $0.delete(order.type, order.uri, order.rest.first) }) else { throw noSticker }
        default: return try find(order)
        }
        return .done
    }

    private var noSticker: AckError { AckError(.doesNotExist, "no such sticker") }

    @discardableResult
    private func change(_ body: (inout StickerStore) -> StickerStore.Record?) -> Bool {
        services.stickers.change(body)
    }

    private func find(_ order: StickerOrder) throws(AckError) -> Outcome {
        let search = try StickerSearch(order.type, below: order.uri, order.rest)
        if order.type == .song, let music = services.media.directory, let library = completeLibrary {
            let (store, longest) = (services.stickers.store, reply.longestValue)
            return try stream(FoundSongStickers(search, store, library, music, longestValue: longest))
        }
        for sticker in search.find(in: services.stickers.store, window: search.window) {
            if order.type == .song {
                reply.line("file", withoutCredentials(sticker.uri))
            } else {
                reply.bytes.append(contentsOf: order.type.name.utf8)
                reply.line("", sticker.uri)
            }
            reply.appendSticker(search.name, sticker.value)
        }
        return .done
    }
}

extension Reply {
    mutating func appendSticker(_ name: String, _ value: String) { line("sticker", "\(name)=\(value)") }
}
