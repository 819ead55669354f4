internal import CivilTime
internal import LineProtocol
internal import NIOCore
internal import PlaylistStore
internal import Playlists
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerPersistence
internal import ServerRequests
internal import Settings
internal import SongFilters
internal import Songs
internal import Stickers
internal import Threads
internal import Zones

/// Stored playlists (the manual's section "Stored playlists").
let playlistCommands: [Row<MusicServices>] = [
    Row("listplaylists", .read, library: .limited, reply: .records(.songs)) { request in
        let playlists = try request.services.media.requirePlaylists()
        return try request.perform(on: .playlists) {
            try playlists.list()
        } then: { names in
            for name in names where request.client.sees(playlist: name.name) { request.reply.append(name) }
            return .done
        }
    },
    Row("listplaylist", .read, library: .limited, reply: .records(.songs), .location("NAME"), .optional(.range())) {
        request,
        name,
        range in
        try request.withPlaylist(name, range, keepsMissing: true) { songs in
            for song in songs { request.reply.appendURI(of: song) }
            return .done
        }
    },
    Row("listplaylistinfo", .read, library: .limited, reply: .records(.songs), .location("NAME"), .optional(.range())) {
        request,
        name,
        range in
        try request.withPlaylist(name, range, examined: true, keepsMissing: true) { songs in
            request.show(songs)
        }
    },
    Row(
        "searchplaylist",
        .read,
        library: .limited,
        reply: .records(.songs),
        .location("NAME"),
        .rest("FILTER [START:END]", fewest: 1).named(Parameter("filter"), .optional("window", .window))
    ) {
        request,
        name,
        words in
        let query = try SongQuery(ofPlaylist: words)
        return try request.withPlaylist(name, examined: true, keepsMissing: true) { songs in
            try request.perform(on: query.filter.workQueue) { cancellation in
                try query.cancelled { cancellation.isCancelled }.select(songs, song: \.self)
            } then: { songs in
                request.show(songs)
            }
        }
    },
    Row(
        "load",
        .add,
        library: .limited,
        .location("NAME"),
        .optional(.range().named(.optional("first", .places, orElse: "0:"))),
        .optional(.position())
    ) {
        request,
        name,
        range,
        position in
        try request.withPlaylist(name, range) { songs in
            if songs.isEmpty { return try request.refuseMissing(name, range) }
            let zone = request.zone
            let wasEmpty = zone.queue.isEmpty
            let place = try position?.position(current: zone.queue.current, through: zone.queue.count)
            _ = try request.add(songs, at: place)
            if wasEmpty { zone.lastLoadedPlaylist = name }
            return .done
        }
    },
    Row(
        "playlistadd",
        .control,
        library: .withheld,
        .text("NAME"),
        .location("URI"),
        .optional(.unsigned("POSITION").named("position", .place))
    ) {
        request,
        name,
        uri,
        position in
        let playlists = try request.services.media.requirePlaylists()
        return try request.withSongs(uri) { songs in
            let songs = songs.map(request.client.narrowed)
            return try request.edit {
                try playlists.add(songs, to: name, at: position)
            } then: {
                request.services.playlistSync.added(to: name)
            }
        }
    },
    Row("playlistclear", .control, library: .withheld, .text("NAME")) { request, name in
        let playlists = try request.services.media.requirePlaylists()
        return try request.edit { try playlists.clear(name) }
    },
    Row("playlistdelete", .control, library: .withheld, .text("NAME"), .range()) { request, name, range in
        let playlists = try request.services.media.requirePlaylists()
        return try request.edit { try playlists.delete(range.positions(of: playlists.length(of: name)), from: name) }
    },
    Row("playlistlength", .read, library: .limited, reply: .records(.count(groupedBy: nil)), .location("NAME")) {
        request,
        name in
        try request.withPlaylist(name, examined: true) { songs in
            request.reply.line("songs", songs.count)
            request.reply.line("playtime", Int(saturating: songs.reduce(0) { $0 + ($1.duration ?? 0) }.rounded()))
            return .done
        }
    },
    Row(
        "playlistmove",
        .control,
        library: .withheld,
        .text("NAME"),
        .range("FROM|START:END"),
        .unsigned("TO").named("to", .place)
    ) {
        request,
        name,
        range,
        target in
        let playlists = try request.services.media.requirePlaylists()
        return try request.edit {
            // A missing playlist is refused here, with its own error.
            let count = try playlists.length(of: name)
            try playlists.move(range.start..<max(range.start, range.end ?? count), to: target, in: name)
        }
    },
    Row("rename", .control, library: .withheld, .text("NAME"), .text("NEW_NAME")) { request, name, other in
        let playlists = try request.services.media.requirePlaylists()
        return try request.edit {
            do {
                try playlists.rename(name, to: other)
            } catch StoredPlaylistError.alreadyExists {
                throw AckError(.alreadyExists, "Playlist exists already")
            }
        } then: {
            request.changePlaylistStickers { $0.move(.playlist, name, to: other) }
        }
    },
    Row("rm", .control, library: .withheld, .text("NAME")) { request, name in
        let playlists = try request.services.media.requirePlaylists()
        return try request.edit {
            try playlists.remove(name)
        } then: {
            request.changePlaylistStickers { $0.delete(.playlist, name) }
        }
    },
    Row(
        "save",
        .control,
        library: .withheld,
        .text("NAME"),
        .optional(.text("MODE").named("mode", .oneOf(["create", "append", "replace"])))
    ) { request, name, word in
        guard let mode = StoredPlaylists.SaveMode(rawValue: word ?? "create") else {
            throw AckError(.badArgument, "Unrecognized save mode: \(word ?? "")")
        }
        let playlists = try request.services.media.requirePlaylists()
        let queue = request.zone.queue
        let songs = (0..<queue.count).map { queue[$0].song }
        return try request.edit { try playlists.save(name, songs, mode: mode) }
    },
]

extension SongQuery {
    /// - Parameter words: A filter, and optionally the range of results to return (`START:END`).
    fileprivate init(ofPlaylist words: [String]) throws {
        // A filter is one expression in parentheses, or pairs of words.
        let hasWindow = words.count > 1 && words.count.isMultiple(of: 2) == words[0].hasPrefix("(")
        let clause = hasWindow ? ["window", words[words.count - 1]] : []
        try self.init((hasWindow ? words.dropLast() : words) + clause, .folded(.all))
    }
}

extension Request<MusicServices> {
    fileprivate func show(_ songs: [Song]) -> Outcome {
        let tags = tags
        return .stream(SequenceSource(songs) { song, reply in song.append(to: &reply.bytes, tags: tags) })
    }

    fileprivate func changePlaylistStickers(_ body: (inout StickerStore) -> StickerStore.Record?) {
        services.stickers.change(body)
    }

    /// Changes stored playlists on another thread.
    func edit(
        _ body: @escaping @Sendable () throws -> Void,
        then: @escaping () -> Void = {}
    ) throws(AckError) -> Outcome {
        try perform(on: .playlistChanges) {
            try body()
        } then: {
            then()
            notify(.storedPlaylist)
            return .done
        }
    }
}

extension Reply {
    mutating func append(_ name: StoredPlaylists.Name) {
        line("playlist", name.name)
        line("Last-Modified", timestamp(name.lastModified))
    }

    mutating func appendURI(of song: Song) { line("file", withoutCredentials(song.uri)) }
}
