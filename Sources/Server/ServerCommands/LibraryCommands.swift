internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import PlaylistStore
internal import Playlists
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import SongFilters
internal import Songs
internal import Threads
internal import Zones

/// Searching the library (the manual's section "The music database").
let libraryCommands: [Row<MusicServices>] = [
    Row(
        "find",
        .read,
        library: .limited,
        reply: .records(.songs),
        .filter("[sort TYPE] [window START:END]", .sort, .window)
    ) {
        request,
        words in
        try request.show(SongQuery(words, .exact))
    },
    Row(
        "search",
        .read,
        library: .limited,
        reply: .records(.songs),
        .filter("[sort TYPE] [window START:END]", .sort, .window)
    ) {
        request,
        words in
        try request.show(SongQuery(words, .folded(.all)))
    },
    Row(
        "findadd",
        .add,
        library: .limited,
        .filter("[sort TYPE] [window START:END] [position POSITION]", .sort, .window, .position)
    ) {
        request,
        words in
        try request.addFound(words, .exact)
    },
    Row(
        "searchadd",
        .add,
        library: .limited,
        .filter("[sort TYPE] [window START:END] [position POSITION]", .sort, .window, .position)
    ) {
        request,
        words in
        try request.addFound(words, .folded(.all))
    },
    Row(
        "searchaddpl",
        .control,
        library: .withheld,
        .text("NAME"),
        .filter("[sort TYPE] [window START:END] [position POSITION]", .sort, .window, .position)
    ) { request, name, words in
        try request.addFound(words, toPlaylist: name)
    },
    Row("count", .read, library: .limited, reply: .counts, .filter("[group TAG]", .key("group"))) { request, words in
        try request.count(words, .exact)
    },
    Row("searchcount", .read, library: .limited, reply: .counts, .filter("[group TAG]", .key("group"))) {
        request,
        words in
        try request.count(words, .folded(.all))
    },
    Row(
        "list",
        .read,
        library: .limited,
        reply: .values,
        .rest("TYPE [FILTER] [group TAG...]", fewest: 1)
            .named(Parameter("type"), .optional("filter"), .key("group", .words))
    ) { request, words in
        try request.listValues(words)
    },
]

extension Argument<[String]> {
    fileprivate static func filter(_ rest: String, _ others: Parameter...) -> Self {
        var argument = Argument.rest("FILTER " + rest, fewest: 1)
        argument.parameters = [Parameter("filter")] + others
        return argument
    }
}

extension Parameter {
    fileprivate static let sort = key("sort")
    fileprivate static let window = key("window", .window)
    fileprivate static let position = key("position", .insertPosition)
}

extension ReplyRule {
    fileprivate static let counts = ReplyRule(other: ["group", "artist"]) { words in
        .count(groupedBy: words.dropLast().last == "group" ? words.last.flatMap { TagType(name: $0)?.name } : nil)
    }

    /// Values under the tags that a request groups them by.
    fileprivate static let values = ReplyRule(typical: ["title"]) { words in
        guard let first = words.first else { return nil }
        let groups = zip(words, words.dropFirst()).filter { $0.0 == "group" }.compactMap { TagType(name: $0.1)?.name }
        return .values(of: TagType(name: first)?.name ?? "file", groupedBy: groups)
    }
}

// MARK: - Songs

extension Request<MusicServices> {
    fileprivate func show(_ query: SongQuery) throws -> Outcome {
        try stream(FoundSongs(library, query, tags), on: query.filter.workQueue)
    }

    fileprivate func addFound(_ words: [String], _ mode: SongFilter.Mode) throws -> Outcome {
        var words = words
        let position = try takePosition(&words)
        let query = try SongQuery(words, mode)
        return try find(query) { songs in
            let place = try position?.position(current: zone.queue.current, through: zone.queue.count)
            if !songs.isEmpty { _ = try add(songs, at: place) }
            return .done
        }
    }

    fileprivate func addFound(_ words: [String], toPlaylist name: String) throws -> Outcome {
        var words = words
        let position = try takePosition(&words).map { position throws(AckError) in
            try position.position(current: nil, through: Int(Int32.max))
        }
        let query = try SongQuery(words, .folded(.all))
        let playlists = try services.media.requirePlaylists()
        return try find(query) { songs in
            try edit { try playlists.add(songs, to: name, at: position) }
        }
    }

    private func find(_ query: SongQuery, then: @escaping ([Song]) throws -> Outcome) throws -> Outcome {
        let library = try library
        return try perform(on: query.filter.workQueue) { cancellation in
            let query = query.cancelled { cancellation.isCancelled }
            return try library.read { try $0.songs($0.find(query)) }
        } then: {
            try then($0)
        }
    }

    /// Removes a trailing `position POSITION` and returns it.
    private func takePosition(_ words: inout [String]) throws(AckError) -> InsertPosition? {
        guard words.count > 2, words[words.count - 2] == "position" else { return nil }
        let position = try InsertPosition(parsing: words[words.count - 1])
        words.removeLast(2)
        return position
    }
}

// MARK: - Values

extension Request<MusicServices> {
    fileprivate func count(_ words: [String], _ mode: SongFilter.Mode) throws -> Outcome {
        var words = words
        var group: TagType?
        if words.count >= 2, words[words.count - 2] == "group" {
            group = try tagType(words[words.count - 1])
            words.removeLast(2)
        }
        let filter = words.isEmpty && group != nil ? nil : try SongFilter(words, mode)
        return try ask(filter) { [group] reader, filter in
            if let group { return try reader.count(filter, group: group) }
            return [try reader.count(filter)]
        } then: { [group] counts in
            for count in counts {
                if let group { reply.line(group, count.value) }
                reply.line("songs", count.songs)
                reply.line("playtime", count.milliseconds / 1000)
            }
            return .done
        }
    }

    fileprivate func listValues(_ words: [String]) throws -> Outcome {
        var rest = words.dropFirst()
        if ["file", "filename"].contains(words[0].lowercased()) {
            let filter = rest.isEmpty ? nil : try SongFilter(rest, .exact)
            return try ask(filter) {
                try $0.listURIs($1)
            } then: {
                .stream(ByteSource($0))
            }
        }
        let tag = try tagType(words[0])
        if rest.count == 1, let artist = rest.first, artist.utf8.first != UInt8(ascii: "(") {
            // The form that clients used before filters existed.
            guard tag == .album else { throw AckError(.badArgument, "should be \"Album\" for 3 arguments") }
            let filter = try SongFilter(["artist", artist], .exact)
            return try ask(filter) {
                try $0.list(tag, $1, groups: [])
            } then: {
                .stream(ByteSource($0))
            }
        }
        var groups: [TagType] = []
        while rest.count >= 2, rest[rest.endIndex - 2] == "group" {
            let group = try tagType(rest[rest.endIndex - 1])
            guard group != tag, !groups.contains(group) else { throw AckError(.badArgument, "Conflicting group") }
            groups.insert(group, at: 0)
            rest = rest.dropLast(2)
        }
        let filter = rest.isEmpty ? nil : try SongFilter(rest, .exact)
        return try ask(filter) { [groups] reader, filter in
            try reader.list(tag, filter, groups: groups)
        } then: {
            .stream(ByteSource($0))
        }
    }

    private func tagType(_ name: String) throws(AckError) -> TagType {
        guard let tag = TagType(name: name) else { throw AckError(.badArgument, "Unknown tag type: \(name)") }
        return tag
    }
}

extension Reply {
    fileprivate mutating func line(_ tag: TagType, _ value: String) {
        bytes.append(contentsOf: tag.name.utf8)
        line("", value)
    }
}
