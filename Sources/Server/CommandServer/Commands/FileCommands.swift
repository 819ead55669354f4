internal import LineProtocol
internal import MediaLibrary
internal import MusicFiles
internal import MusicLibrary
internal import Songs

/// The music directory's files (the manual's section "The music database", what needs no index).
let fileCommands: [Command] = [
    Command("lsinfo", .read, .optional(.text("URI"))) { client, uri in
        let music = try client.server.musicDirectory()
        let (cache, playlists) = (client.server.cache, client.server.playlists)
        let uri = client.server.uriInMusic(uri ?? "")
        if uri.hasPrefix("/") || hasScheme(uri) {
            let song = try client.foreignSong(uri)
            return client.server.perform(for: client) {
                guard song.uri.hasPrefix("/") else { return song }
                do { return try examinedFile(song.uri) } catch { throw AckError(.doesNotExist, "No such file") }
            } then: { [unowned client] song in
                client.reply.append(song, client.tags)
                return .done
            }
        }
        let showsPlaylists = uri.isEmpty && !client.hidesPlaylistsInRoot
        let (library, tags) = (client.server.completeLibrary, client.tags)
        return client.server.perform(for: client) {
            var reply = Reply()
            if try library?.appendListing(of: uri, tags, to: &reply) != true {
                for listing in try music.list(uri, song: music.examining(cache)) { reply.append(listing, tags) }
            }
            for name in showsPlaylists ? (try? playlists?.list()) ?? [] : [] { reply.append(name) }
            return reply.bytes
        } then: { bytes in
            .stream(ByteSource(bytes))
        }
    },
    Command("listall", .read, .optional(.text("URI"))) { client, uri in
        try client.listAll(uri, .uris)
    },
    Command("listallinfo", .read, .optional(.text("URI"))) { client, uri in
        try client.listAll(uri, .lines(client.tags))
    },
    Command("listfiles", .read, .optional(.text("URI"))) { client, uri in
        let music = try client.server.musicDirectory()
        var uri = client.server.uriInMusic(uri ?? "")
        while uri.hasSuffix("/") { uri.removeLast() }
        return client.server.perform(for: client) { [uri] in
            try music.listFiles(uri)
        } then: { [unowned client] files in
            for file in files { client.reply.append(file) }
            return .done
        }
    },
    Command("readcomments", .read, .text("URI")) { client, uri in
        let music = try client.server.musicDirectory()
        let uri = client.server.uriInMusic(uri)
        return client.server.perform(for: client) {
            try asSong { try music.readComments(uri) }
        } then: { [unowned client] comments in
            for (name, value) in comments { client.reply.append(comment: name, value) }
            return .done
        }
    },
]

extension ServerState {
    func musicDirectory() throws(AckError) -> MusicDirectory {
        guard let music else { throw AckError(.doesNotExist, "No database") }
        return music
    }
}

extension Client {
    /// All that is at and below a URI, from the library where that knows it, else from the file system.
    fileprivate func listAll(_ uri: String?, _ form: LibraryWalk.Form) throws -> Outcome {
        let music = try server.musicDirectory()
        let (library, cache) = (server.completeLibrary, server.cache)
        let uri = uri == "/" ? "" : uri ?? ""
        return server.perform(for: self) { () -> Everything in
            if let library, let found = try library.everything(below: uri, form) { return found }
            let source: SongSource? = if case .lines = form { music.examining(cache) } else { nil }
            return .files(try music.everything(below: uri, source))
        } then: { [unowned self] found in
            switch found {
            case .walk(let walk): server.stream(walk, for: self)
            case .bytes(let bytes): .stream(ByteSource(bytes))
            case .files(let listings):
                .stream(SequenceSource(listings) { listing, reply in reply.append(listing, form) })
            }
        }
    }
}

/// What `listall` and `listallinfo` found at a URI.
private enum Everything: Sendable {
    case walk(WalkedSongs)
    /// One song.
    case bytes([UInt8])
    case files([Listing])
}

extension MusicLibrary {
    /// - Returns: `nil` when nothing is known of that URI.
    fileprivate func everything(below uri: String, _ form: LibraryWalk.Form) throws -> Everything? {
        try read { reader in
            if let walk = try LibraryWalk(reader, uri) { return .walk(WalkedSongs(self, walk, form)) }
            guard let song = try reader.song(uri) else { return nil }
            var reply = Reply()
            reply.append(.song(song), form)
            return .bytes(reply.bytes)
        }
    }

    /// Adds what `lsinfo` shows of a URI.
    ///
    /// - Returns: Whether anything is known of it.
    fileprivate func appendListing(of uri: String, _ tags: TagMask, to reply: inout Reply) throws -> Bool {
        try read { reader in
            guard let entries = try reader.list(uri) else { return false }
            // Songs come first, all in one go.
            let songs = entries.compactMap { entry -> Int? in if case .song(let number) = entry { number } else { nil }
            }
            try reader.appendLines(of: songs, tags: tags, to: &reply.bytes)
            for entry in entries {
                switch entry {
                case .song: break
                case .directory(let uri, let modified):
                    reply.append(.directory(uri: uri, lastModified: modified), tags)
                case .playlist(let uri, let modified): reply.append(.playlist(uri: uri, lastModified: modified), tags)
                }
            }
            return true
        }
    }
}

extension MusicDirectory {
    fileprivate func everything(below uri: String, _ source: SongSource?) throws -> [Listing] {
        var listings: [Listing] = []
        try walk(uri, song: source) { listings.append($0) }
        return listings
    }
}

extension Reply {
    mutating func append(_ song: Song, _ tags: TagMask) { song.append(to: &bytes, tags: tags) }

    fileprivate mutating func append(_ listing: Listing, _ tags: TagMask) {
        switch listing {
        case .song(let song): song.appendListed(to: &bytes, tags: tags)
        case .directory(let uri, let lastModified):
            line("directory", uri)
            line("Last-Modified", timestamp(lastModified))
        case .playlist(let uri, let lastModified):
            line("playlist", uri)
            line("Last-Modified", timestamp(lastModified))
        }
    }

    fileprivate mutating func append(_ listing: Listing, _ form: LibraryWalk.Form) {
        switch form {
        case .uris: appendURI(of: listing)
        case .lines(let tags): append(listing, tags)
        }
    }

    fileprivate mutating func appendURI(of listing: Listing) {
        switch listing {
        case .song(let song):
            appendURI(of: song)
            if song.hasSheet { song.appendSheet(to: &bytes) }
        case .directory(let uri, lastModified: _): line("directory", uri)
        case .playlist(let uri, lastModified: _): line("playlist", uri)
        }
    }

    fileprivate mutating func append(_ file: FileListing) {
        if let size = file.size {
            line("file", file.name)
            line("size", size)
        } else {
            line("directory", file.name)
        }
        line("Last-Modified", timestamp(file.lastModified))
    }

    /// A comment under the name it has in the file, which must not look like the end of a line.
    fileprivate mutating func append(comment name: String, _ value: String) {
        // With a longer one the line could be more than clients read.
        guard name.utf8.count <= 80 else { return }
        bytes.append(contentsOf: name.utf8.filter { $0 > 0x20 && $0 != UInt8(ascii: ":") })
        line("", value)
    }
}
