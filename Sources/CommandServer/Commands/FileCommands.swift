internal import FFmpeg
internal import LineProtocol
internal import MusicFiles
internal import Songs

/// The music directory's files (the manual's section "The music database", what needs no index).
let fileCommands: [Command] = [
    Command("lsinfo", .read, .optional(.text("URI"))) { client, uri in
        let music = try client.server.musicDirectory()
        let (cache, playlists) = (client.server.cache, client.server.playlists)
        let uri = uri == "/" ? "" : uri ?? ""
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
        return client.server.perform(for: client) {
            let names = showsPlaylists ? (try? playlists?.list()) ?? [] : []
            return (try music.list(uri, song: music.examining(cache)), names)
        } then: { [unowned client] (found: ([Listing], [StoredPlaylists.Name])) in
            for listing in found.0 { client.reply.append(listing, client.tags) }
            for name in found.1 { client.reply.append(name) }
            return .done
        }
    },
    Command("listall", .read, .optional(.text("URI"))) { client, uri in
        let music = try client.server.musicDirectory()
        return client.server.perform(for: client) {
            try music.everything(below: uri == "/" ? "" : uri ?? "", nil)
        } then: { listings in
            .stream(SequenceSource(listings) { listing, reply in reply.appendURI(of: listing) })
        }
    },
    Command("listallinfo", .read, .optional(.text("URI"))) { client, uri in
        let music = try client.server.musicDirectory()
        let (cache, tags) = (client.server.cache, client.tags)
        return client.server.perform(for: client) {
            try music.everything(below: uri == "/" ? "" : uri ?? "", music.examining(cache))
        } then: { listings in
            .stream(SequenceSource(listings) { listing, reply in reply.append(listing, tags) })
        }
    },
    Command("listfiles", .read, .optional(.text("URI"))) { client, uri in
        let music = try client.server.musicDirectory()
        return client.server.perform(for: client) {
            try music.listFiles(uri ?? "")
        } then: { [unowned client] files in
            for file in files { client.reply.append(file) }
            return .done
        }
    },
    Command("readcomments", .read, .text("URI")) { client, uri in
        let music = try client.server.musicDirectory()
        return client.server.perform(for: client) {
            try asSong { try music.readComments(uri) }
        } then: { [unowned client] comments in
            for (name, value) in comments { client.reply.append(comment: name, value) }
            return .done
        }
    },
    Command("albumart", .read, .text("URI"), .unsigned("OFFSET", through: Int.max)) { client, uri, offset in
        let music = try client.server.musicDirectory()
        let limit = client.binaryLimit
        return client.server.perform(for: client) { () -> Piece? in
            guard let file = try? music.coverFile(uri) else { return nil }
            guard offset <= file.size else { throw AckError(.badArgument, "Offset too large") }
            return Piece(size: file.size, mimeType: nil, bytes: try file.bytes(at: offset, count: limit))
        } then: { [unowned client] piece in
            guard let piece else { throw AckError(.doesNotExist, "No file exists") }
            client.reply.append(piece)
            return .done
        }
    },
    Command("readpicture", .read, .text("URI"), .unsigned("OFFSET", through: Int.max)) { client, uri, offset in
        let music = try client.server.musicDirectory()
        let (limit, pictures) = (client.binaryLimit, client.server.pictures)
        return client.server.perform(for: client) { () -> Piece? in
            guard let picture = try asSong({ try pictures.picture(uri, in: music) }) else { return nil }
            guard offset <= picture.bytes.count else { throw AckError(.badArgument, "Bad file offset") }
            let bytes = picture.bytes[offset..<min(offset + limit, picture.bytes.count)]
            return Piece(size: picture.bytes.count, mimeType: picture.mimeType, bytes: Array(bytes))
        } then: { [unowned client] piece in
            if let piece { client.reply.append(piece) }
            return .done
        }
    },
]

/// One chunk of a picture.
private struct Piece: Sendable {
    /// Of the whole picture, in bytes.
    let size: Int
    let mimeType: String?
    let bytes: [UInt8]
}

extension ServerState {
    func musicDirectory() throws(AckError) -> MusicDirectory {
        guard let music else { throw AckError(.doesNotExist, "No database") }
        return music
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
        case .song(let song): append(song, tags)
        case .directory(let uri, let lastModified):
            line("directory", uri)
            line("Last-Modified", timestamp(lastModified))
        case .playlist(let uri, let lastModified):
            line("playlist", uri)
            line("Last-Modified", timestamp(lastModified))
        }
    }

    fileprivate mutating func appendURI(of listing: Listing) {
        switch listing {
        case .song(let song): appendURI(of: song)
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

    fileprivate mutating func append(_ piece: Piece) {
        line("size", piece.size)
        if let mimeType = piece.mimeType { line("type", mimeType) }
        binary(piece.bytes)
    }
}
