internal import Configuration
internal import LineProtocol
internal import MusicFiles
internal import NIOCore
internal import NIOPosix
internal import Playlists
internal import SongFilters
internal import Songs
internal import Stickers
internal import Synchronization
internal import Zones

/// Stored playlists (the manual's section "Stored playlists").
let playlistCommands: [Command] = [
    Command("listplaylists", .read) { client in
        let playlists = try client.server.storedPlaylists()
        return client.server.perform(for: client) {
            try playlists.list()
        } then: { [unowned client] names in
            for name in names { client.reply.append(name) }
            return .done
        }
    },
    Command("listplaylist", .read, .text("NAME"), .optional(.range())) { client, name, range in
        try client.withPlaylist(name, range, keepsMissing: true) { [unowned client] songs in
            for song in songs { client.reply.appendURI(of: song) }
            return .done
        }
    },
    Command("listplaylistinfo", .read, .text("NAME"), .optional(.range())) { client, name, range in
        try client.withPlaylist(name, range, examined: true, keepsMissing: true) { [unowned client] songs in
            client.show(songs)
        }
    },
    Command("searchplaylist", .read, .text("NAME"), .rest("FILTER [START:END]", fewest: 1)) { client, name, words in
        let query = try SongQuery(ofPlaylist: words)
        return try client.withPlaylist(name, examined: true, keepsMissing: true) { [unowned client] songs in
            client.server.perform(for: client, on: client.server.workers(isSlow: query.filter.hasPatterns)) {
                try query.select(songs, song: \.self)
            } then: { [unowned client] songs in
                client.show(songs)
            }
        }
    },
    Command("load", .add, .text("NAME"), .optional(.range()), .optional(.position())) { client, name, range, position in
        try client.withPlaylist(name, range) { [unowned client] songs in
            let zone = client.zone
            let wasEmpty = zone.queue.isEmpty
            let place = try position?.position(current: zone.queue.current, through: zone.queue.count)
            _ = try client.add(songs, at: place)
            if wasEmpty { zone.lastLoadedPlaylist = name }
            return .done
        }
    },
    Command("playlistadd", .control, .text("NAME"), .text("URI"), .optional(.unsigned("POSITION"))) {
        client,
        name,
        uri,
        position in
        let playlists = try client.server.storedPlaylists()
        return try client.withSongs(uri) { [unowned client] songs in
            client.edit {
                try playlists.add(songs.map(\.uri), to: name, at: position)
            } then: { [unowned client] in
                client.server.syncSoon(name, on: client.channel.eventLoop)
            }
        }
    },
    Command("playlistclear", .control, .text("NAME")) { client, name in
        let playlists = try client.server.storedPlaylists()
        return client.edit { try playlists.clear(name) }
    },
    Command("playlistdelete", .control, .text("NAME"), .range()) { client, name, range in
        let playlists = try client.server.storedPlaylists()
        return client.edit { try playlists.delete(range.positions(of: playlists.length(of: name)), from: name) }
    },
    Command("playlistlength", .read, .text("NAME")) { client, name in
        try client.withPlaylist(name, examined: true) { [unowned client] songs in
            client.reply.line("songs", songs.count)
            client.reply.line("playtime", Int(songs.reduce(0) { $0 + ($1.duration ?? 0) }.rounded()))
            return .done
        }
    },
    Command("playlistmove", .control, .text("NAME"), .range("FROM|START:END"), .unsigned("TO")) {
        client,
        name,
        range,
        target in
        let playlists = try client.server.storedPlaylists()
        return client.edit {
            // What is not there is for the playlist to refuse.
            let count = try playlists.length(of: name)
            try playlists.move(range.start..<max(range.start, range.end ?? count), to: target, in: name)
        }
    },
    Command("rename", .control, .text("NAME"), .text("NEW_NAME")) { client, name, other in
        let playlists = try client.server.storedPlaylists()
        return client.edit {
            do {
                try playlists.rename(name, to: other)
            } catch StoredPlaylistError.alreadyExists {
                throw AckError(.alreadyExists, "Playlist exists already")
            }
        } then: { [unowned client] in
            client.changePlaylistStickers { $0.move(.playlist, name, to: other) }
        }
    },
    Command("rm", .control, .text("NAME")) { client, name in
        let playlists = try client.server.storedPlaylists()
        return client.edit {
            try playlists.remove(name)
        } then: { [unowned client] in
            client.changePlaylistStickers { $0.delete(.playlist, name) }
        }
    },
    Command("save", .control, .text("NAME"), .optional(.text("MODE"))) { client, name, word in
        guard let mode = StoredPlaylists.SaveMode(rawValue: word ?? "create") else {
            throw AckError(.badArgument, "Unrecognized save mode: \(word ?? "")")
        }
        let playlists = try client.server.storedPlaylists()
        let queue = client.zone.queue
        let uris = (0..<queue.count).map { queue[$0].song.uri }
        return client.edit { try playlists.save(name, uris, mode: mode) }
    },
]

extension ServerState {
    func storedPlaylists() throws(AckError) -> StoredPlaylists {
        guard let playlists else { throw AckError(.doesNotExist, "Stored playlists are disabled") }
        return playlists
    }
}

extension SongQuery {
    /// - Parameter words: A filter and, perhaps, which of what it finds is wanted (`START:END`).
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
        if let record = body(&server.stickers) { server.stickersChanged(record) }
    }

    /// Changes stored playlists on another thread.
    func edit(
        _ body: @escaping @Sendable () throws -> Void,
        then: @escaping () -> Void = {}
    ) -> Outcome {
        let edits = server.playlistEdits
        return server.perform(for: self) {
            // Each reads, changes and writes a file.
            try edits.lock.withLock { _ in try body() }
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

/// Lets stored playlists be changed by one thread at a time, and knows which are not on the disk yet.
final class PlaylistEdits: Sendable {
    let lock = Mutex(())
    fileprivate let unsynced = Mutex<Set<ExactText>>([])

    /// Has all that was added on the disk when it returns.
    ///
    /// - Returns: What went wrong.
    func sync(_ playlists: StoredPlaylists) -> [StoredPlaylistError] {
        let names = unsynced.withLock { names in
            defer { names = [] }
            return names
        }
        return lock.withLock { _ in
            names.map(\.text).sorted().compactMap { name in
                switch Result(catching: { () throws(StoredPlaylistError) in try playlists.sync(name) }) {
                case .success: nil
                case .failure(let error): error
                }
            }
        }
    }
}

extension ServerState {
    /// Has what was added to a playlist on the disk within seconds: songs that are added one by one are written down once.
    fileprivate func syncSoon(_ name: String, on loop: any EventLoop) {
        guard let playlists else { return }
        let isFirst = playlistEdits.unsynced.withLock { names in
            defer { names.insert(ExactText(name)) }
            return names.isEmpty
        }
        guard isFirst else { return }
        let (edits, log, pool) = (playlistEdits, parts.log, pool)
        loop.scheduleTask(in: .seconds(2)) {
            pool.submit { _ in
                for error in edits.sync(playlists) { log(.error, "\(error)") }
            }
        }
    }
}
