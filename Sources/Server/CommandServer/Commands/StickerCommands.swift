internal import LineProtocol
internal import MusicDirectories
internal import ServerBasics
internal import ServerMusic
internal import ServerPersistence
internal import Songs
internal import Stickers
internal import Threads

/// Names and values attached to songs and other objects (the manual's section "Stickers").
let stickerCommands: [Command] = [
    Command(
        "sticker",
        .control,
        library: .ofSticker,
        .rest("get|set|inc|dec|delete|list|find TYPE URI [...]", fewest: 3)
    ) { client, words in
        let request = try StickerRequest(words)
        guard request.type == .song, request.verb != "find", request.verb != "delete",
            let music = client.server.media.directory,
            !hasScheme(request.uri)
        else { return try client.carryOut(request) }
        // Only songs that exist can have stickers.
        return try client.server.jobs.perform(for: client, on: .files(request.uri)) {
            do { _ = try music.unexamined(request.uri) } catch { throw AckError(.doesNotExist, "No such song") }
        } then: { [unowned client] in
            try client.carryOut(request)
        }
    },
    .plain("stickernames", .control, library: .withheld) { client in
        for name in client.server.stickers.store.names() { client.reply.line("name", name) }
    },
    .plain("stickertypes", .control, library: .nothing) { client in
        for type in StickerType.all { client.reply.line("stickertype", type.name) }
    },
    .plain("stickernamestypes", .control, library: .withheld, .optional(.text("TYPE"))) { client, name in
        let type = try name.map { name throws(AckError) in try stickerType(name) }
        for (name, type) in client.server.stickers.store.namesAndTypes(of: type) {
            client.reply.line("name", name)
            client.reply.line("type", type.name)
        }
    },
]

extension LibraryRule {
    fileprivate static let ofSticker = LibraryRule { words in
        guard words.count >= 3, words[1] == "song" else { return words.isEmpty ? .limited : .withheld }
        return words[0] == "find" ? .limited : .named([.song(words[2])])
    }
}

private func stickerType(_ name: String) throws(AckError) -> StickerType {
    guard let type = StickerType(name) else { throw AckError(.badArgument, "unknown sticker domain") }
    return type
}

/// The parsed arguments of `sticker VERB TYPE URI …`.
private struct StickerRequest: Sendable {
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

extension Client {
    fileprivate func carryOut(_ request: StickerRequest) throws -> Outcome {
        switch request.verb {
        case "get":
            guard let value = server.stickers.store.get(request.type, request.uri, request.rest[0]) else {
                throw noSticker
            }
            reply.appendSticker(request.rest[0], value)
        case "list":
            for (name, value) in server.stickers.store.list(request.type, request.uri) {
                reply.appendSticker(name, value)
            }
        case "set":
            try server.stickers.requireRoom(for: request.rest[0], request.rest[1], of: request.uri, request.type)
            change { $0.set(request.type, request.uri, request.rest[0], to: request.rest[1]) }
        case "inc", "dec":
            // A number has at most 20 digits.
            try server.stickers.requireRoom(for: request.rest[0], "", of: request.uri, request.type)
            let amount = try parseInteger(request.rest[1], in: 0...Int(Int32.max))
            change { stickers in
                stickers.increase(
                    request.type,
                    request.uri,
                    request.rest[0],
                    by: request.verb == "inc" ? amount : -amount
                )
            }
        case "delete":
            guard change({ $0.delete(request.type, request.uri, request.rest.first) }) else { throw noSticker }
        default: return try find(request)
        }
        return .done
    }

    private var noSticker: AckError { AckError(.doesNotExist, "no such sticker") }

    @discardableResult
    private func change(_ body: (inout StickerStore) -> StickerStore.Record?) -> Bool {
        server.stickers.change(body)
    }

    private func find(_ request: StickerRequest) throws(AckError) -> Outcome {
        let search = try StickerSearch(request.type, below: request.uri, request.rest)
        if request.type == .song, let music = server.media.directory, let library = completeLibrary {
            return try server.jobs.stream(FoundSongStickers(search, server.stickers.store, library, music), for: self)
        }
        for sticker in search.find(in: server.stickers.store, window: search.window) {
            if request.type == .song {
                reply.line("file", withoutCredentials(sticker.uri))
            } else {
                reply.bytes.append(contentsOf: request.type.name.utf8)
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
