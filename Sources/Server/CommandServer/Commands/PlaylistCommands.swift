internal import CivilTime
internal import LineProtocol
internal import NIOCore
internal import PlaylistStore
internal import Playlists
internal import ServerBasics
internal import ServerMusic
internal import ServerPersistence
internal import Settings
internal import SongFilters
internal import Songs
internal import Stickers
internal import Threads
internal import Zones

/// Stored playlists (the manual's section "Stored playlists").
let playlistCommands: [Command] = [
    Command("listplaylists", .read, library: .limited) { client in
        let playlists = try client.server.media.requirePlaylists()
        return try client.server.jobs.perform(for: client, on: .playlists) {
            try playlists.list()
        } then: { [unowned client] names in
            for name in names where client.sees(playlist: name.name) { client.reply.append(name) }
            return .done
        }
    },
    Command("listplaylist", .read, library: .limited, .location("NAME"), .optional(.range())) { client, name, range in
        try client.withPlaylist(name, range, keepsMissing: true) { [unowned client] songs in
            for song in songs { client.reply.appendURI(of: song) }
            return .done
        }
    },
    Command("listplaylistinfo", .read, library: .limited, .location("NAME"), .optional(.range())) {
        client,
        name,
        range in
        try client.withPlaylist(name, range, examined: true, keepsMissing: true) { [unowned client] songs in
            client.show(songs)
        }
    },
    Command("searchplaylist", .read, library: .limited, .location("NAME"), .rest("FILTER [START:END]", fewest: 1)) {
        client,
        name,
        words in
        let query = try SongQuery(ofPlaylist: words)
        return try client.withPlaylist(name, examined: true, keepsMissing: true) { [unowned client] songs in
            try client.server.jobs.perform(for: client, on: query.filter.lane) { cancellation in
                try query.cancelled { cancellation.isCancelled }.select(songs, song: \.self)
            } then: { [unowned client] songs in
                client.show(songs)
            }
        }
    },
    Command("load", .add, library: .limited, .location("NAME"), .optional(.range()), .optional(.position())) {
        client,
        name,
        range,
        position in
        try client.withPlaylist(name, range) { [unowned client] songs in
            if songs.isEmpty { return try client.refuseMissing(name, range) }
            let zone = client.zone
            let wasEmpty = zone.queue.isEmpty
            let place = try position?.position(current: zone.queue.current, through: zone.queue.count)
            _ = try client.add(songs, at: place)
            if wasEmpty { zone.lastLoadedPlaylist = name }
            return .done
        }
    },
    Command(
        "playlistadd",
        .control,
        library: .withheld,
        .text("NAME"),
        .location("URI"),
        .optional(.unsigned("POSITION"))
    ) {
        client,
        name,
        uri,
        position in
        let playlists = try client.server.media.requirePlaylists()
        return try client.withSongs(uri) { [unowned client] songs in
            let songs = songs.map(client.narrowed)
            return try client.edit {
                try playlists.add(songs, to: name, at: position)
            } then: { [unowned client] in
                client.server.playlistSync.added(to: name)
            }
        }
    },
    Command("playlistclear", .control, library: .withheld, .text("NAME")) { client, name in
        let playlists = try client.server.media.requirePlaylists()
        return try client.edit { try playlists.clear(name) }
    },
    Command("playlistdelete", .control, library: .withheld, .text("NAME"), .range()) { client, name, range in
        let playlists = try client.server.media.requirePlaylists()
        return try client.edit { try playlists.delete(range.positions(of: playlists.length(of: name)), from: name) }
    },
    Command("playlistlength", .read, library: .limited, .location("NAME")) { client, name in
        try client.withPlaylist(name, examined: true) { [unowned client] songs in
            client.reply.line("songs", songs.count)
            client.reply.line("playtime", Int(saturating: songs.reduce(0) { $0 + ($1.duration ?? 0) }.rounded()))
            return .done
        }
    },
    Command("playlistmove", .control, library: .withheld, .text("NAME"), .range("FROM|START:END"), .unsigned("TO")) {
        client,
        name,
        range,
        target in
        let playlists = try client.server.media.requirePlaylists()
        return try client.edit {
            // A missing playlist is refused here, with its own error.
            let count = try playlists.length(of: name)
            try playlists.move(range.start..<max(range.start, range.end ?? count), to: target, in: name)
        }
    },
    Command("rename", .control, library: .withheld, .text("NAME"), .text("NEW_NAME")) { client, name, other in
        let playlists = try client.server.media.requirePlaylists()
        return try client.edit {
            do {
                try playlists.rename(name, to: other)
            } catch StoredPlaylistError.alreadyExists {
                throw AckError(.alreadyExists, "Playlist exists already")
            }
        } then: { [unowned client] in
            client.changePlaylistStickers { $0.move(.playlist, name, to: other) }
        }
    },
    Command("rm", .control, library: .withheld, .text("NAME")) { client, name in
        let playlists = try client.server.media.requirePlaylists()
        return try client.edit {
            try playlists.remove(name)
        } then: { [unowned client] in
            client.changePlaylistStickers { $0.delete(.playlist, name) }
        }
    },
    Command("save", .control, library: .withheld, .text("NAME"), .optional(.text("MODE"))) { client, name, word in
        guard let mode = StoredPlaylists.SaveMode(rawValue: word ?? "create") else {
            throw AckError(.badArgument, "Unrecognized save mode: \(word ?? "")")
        }
        let playlists = try client.server.media.requirePlaylists()
        let queue = client.zone.queue
        let songs = (0..<queue.count).map { queue[$0].song }
        return try client.edit { try playlists.save(name, songs, mode: mode) }
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

extension Client {
    fileprivate func show(_ songs: [Song]) -> Outcome {
        let tags = tags
        return .stream(SequenceSource(songs) { song, reply in song.append(to: &reply.bytes, tags: tags) })
    }

    fileprivate func changePlaylistStickers(_ body: (inout StickerStore) -> StickerStore.Record?) {
        server.stickers.change(body)
    }

    /// Changes stored playlists on another thread.
    func edit(
        _ body: @escaping @Sendable () throws -> Void,
        then: @escaping () -> Void = {}
    ) throws(AckError) -> Outcome {
        try server.jobs.perform(for: self, on: .playlistChanges) {
            try body()
        } then: { [unowned self] in
            then()
            server.note(.storedPlaylist)
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
