internal import AudioTypes
internal import CivilTime
internal import LibraryIndex
internal import LibraryService
internal import LineProtocol
internal import MediaCoding
internal import MusicDirectories
internal import PlaylistStore
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import Songs
internal import Threads

/// The files of the music directory (the manual's section "The music database", the commands that need no index).
let fileCommands: [Row<MusicServices>] = [
    Row("lsinfo", .read, library: .limited, reply: .records(.songs), .optional(.text("URI"))) { request, uri in
        let music = try request.services.media.requireDirectory()
        let uri = request.services.media.uriInMusic(uri ?? "")
        if uri.hasPrefix("/") || hasScheme(uri) {
            let song = try request.foreignSong(uri, opensPublicFiles: true)
            return try request.perform(on: .files(song.uri)) {
                guard song.uri.hasPrefix("/") else { return song }
                let read = song.reach == .anywhere ? examinedFile : publicFile
                do { return try read(song.uri) } catch { throw AckError(.doesNotExist, "No such file") }
            } then: { song in
                request.reply.append(song, request.tags)
                return .done
            }
        }
        return try request.listDirectory(uri, music)
    },
    Row("listall", .read, library: .limited, reply: .records(.songs), .optional(.text("URI"))) { request, uri in
        try request.listAll(uri, .uris)
    },
    Row("listallinfo", .read, library: .limited, reply: .records(.songs), .optional(.text("URI"))) { request, uri in
        try request.listAll(uri, .lines(request.tags))
    },
    Row("listfiles", .read, library: .limited, reply: .records(.files), .optional(.text("URI"))) { request, uri in
        let music = try request.services.media.requireDirectory()
        var uri = request.services.media.uriInMusic(uri ?? "")
        while uri.hasSuffix("/") { uri.removeLast() }
        // As an absent one.
        guard request.client.visible?.containsDirectory(uri) != false else {
            throw AckError(.system, "Failed to open \(uri): No such file or directory")
        }
        return try request.perform(on: .files(uri)) { [uri, visible = request.client.visible] in
            do {
                let files = try music.listFiles(uri)
                return visible.map { visible in files.filter { visible.contains($0, in: uri) } } ?? files
            } catch MusicDirectoryError.doesNotExist {
                throw AckError(.system, "Failed to open \(uri): No such file or directory")
            } catch MusicDirectoryError.notPlayable {
                throw AckError(.system, "Failed to open \(uri): Not a directory")
            }
        } then: { files in
            for file in files { request.reply.append(file) }
            return .done
        }
    },
    Row("readcomments", .read, library: .song, reply: .records(.comments), .text("URI")) { request, uri in
        let music = try request.services.media.requireDirectory()
        let uri = request.services.media.uriInMusic(uri)
        return try request.perform(on: .files(uri)) {
            try asSong { try music.readComments(uri) }
        } then: { comments in
            for (name, value) in comments { request.reply.append(comment: name, value) }
            return .done
        }
    },
    Row("getfingerprint", .read, library: .song, reply: .records(.fingerprint), .text("URI")) { request, uri in
        try request.showFingerprint(uri)
    },
]

extension Request<MusicServices> {
    fileprivate func showFingerprint(_ uri: String) throws -> Outcome {
        let music = try services.media.requireDirectory()
        let uri = services.media.uriInMusic(uri)
        if hasScheme(uri), !uri.hasPrefix("file:") {
            throw AckError(.badArgument, "Fingerprints are made of files only")
        }
        // Another file, for the user who runs the server.
        let path = uri.hasPrefix("/") || hasScheme(uri) ? try foreignSong(uri).uri : nil
        return try perform(on: .fingerprints(uri)) { cancellation in
            let stop = Interrupt()
            cancellation.onCancel { stop.raise() }
            return try asFingerprint {
                if let path { return try FileProbe.fingerprint(MediaEntry(location: path), stop: stop) }
                return try FileProbe.fingerprint(uri, in: music, stop: stop)
            }
        } then: { print in
            reply.line("chromaprint", print)
            return .done
        }
    }

    /// Lists a directory as `lsinfo` does: from the library if that knows it, else from the file system.
    fileprivate func listDirectory(_ uri: String, _ music: MusicDirectory) throws -> Outcome {
        let (library, cache, tags) = (completeLibrary, services.media.cache, tags)
        return try perform(on: .index) { () -> Reply? in
            var reply = Reply()
            return try library?.appendListing(of: uri, tags, to: &reply) == true ? reply : nil
        } then: { found in
            if let found { return try listPlaylists(behind: found, uri) }
            if client.visible != nil { throw AckError(.doesNotExist, "No such directory") }
            return try perform(on: .files(uri)) {
                var reply = Reply()
                for listing in try music.list(uri, song: music.examining(cache)) { reply.append(listing, tags) }
                return reply
            } then: {
                try listPlaylists(behind: $0, uri)
            }
        }
    }

    /// Appends the stored playlists to the root's listing.
    private func listPlaylists(behind listing: Reply, _ uri: String) throws -> Outcome {
        guard uri.isEmpty, !client.hidesPlaylistsInRoot, let playlists = services.media.playlists else {
            return .stream(ByteSource(listing.bytes))
        }
        return try perform(on: .playlists) {
            (try? playlists.list()) ?? []
        } then: { names in
            var listing = listing
            for name in names where client.sees(playlist: name.name) { listing.append(name) }
            return .stream(ByteSource(listing.bytes))
        }
    }

    /// Lists everything at and below a URI: from the library if that knows it, else from the file system.
    fileprivate func listAll(_ uri: String?, _ form: LibraryCursor.Form) throws -> Outcome {
        let music = try services.media.requireDirectory()
        let uri = uri == "/" ? "" : uri ?? ""
        guard let library = completeLibrary else { return try listFiles(below: uri, in: music, form) }
        return try perform(on: .index) {
            try library.everything(below: uri, form)
        } then: { found in
            switch found {
            case .walk(let walk): try stream(walk)
            case .bytes(let bytes): .stream(ByteSource(bytes))
            case nil where client.visible != nil: throw AckError(.doesNotExist, "No such directory")
            case nil: try listFiles(below: uri, in: music, form)
            }
        }
    }

    private func listFiles(below uri: String, in music: MusicDirectory, _ form: LibraryCursor.Form) throws -> Outcome {
        let cache = services.media.cache
        return try perform(on: .files(uri)) { cancellation in
            let source: SongSource? = if case .lines = form { music.examining(cache) } else { nil }
            var listings: [Listing] = []
            try music.walk(uri, song: source) { listing in
                if cancellation.isCancelled { throw AckError(.system, "the client has left") }
                listings.append(listing)
            }
            return listings
        } then: { listings in
            .stream(SequenceSource(listings) { listing, reply in reply.append(listing, form) })
        }
    }
}

private func asFingerprint(_ body: () throws -> String) throws -> String {
    do {
        let print = try asSong(body)
        guard !print.isEmpty else { throw AckError(.system, "the song is too short for a fingerprint") }
        return print
    } catch let error as MediaError {
        if case .inaccessible = error.reason { throw AckError(.doesNotExist, "No such song") }
        throw AckError(.system, "\(error)")
    } catch let error as AckError {
        throw error
    } catch {
        throw AckError(.system, "the fingerprint cannot be made: \(error)")
    }
}

/// The result of `listall` or `listallinfo` for a URI.
private enum Everything: Sendable {
    case walk(WalkedSongs)
    /// A single song.
    case bytes([UInt8])
}

extension VisibleSongs {
    fileprivate func contains(_ file: FileListing, in folder: String) -> Bool {
        let uri = folder.isEmpty ? file.name : "\(folder)/\(file.name)"
        return file.size == nil ? containsDirectory(uri) : contains(uri)
    }
}

extension LibraryView {
    /// - Returns: `nil` when the library does not know the URI.
    fileprivate func everything(below uri: String, _ form: LibraryCursor.Form) throws -> Everything? {
        try read { reader in
            if let cursor = try LibraryCursor(reader, uri) { return .walk(WalkedSongs(self, cursor, form)) }
            guard let song = try reader.song(uri) else { return nil }
            var reply = Reply()
            reply.append(.song(song), form)
            return .bytes(reply.bytes)
        }
    }

    /// Appends the `lsinfo` listing of a URI.
    ///
    /// - Returns: Whether the library knows the URI.
    fileprivate func appendListing(of uri: String, _ tags: TagMask, to reply: inout Reply) throws -> Bool {
        try read { reader in
            guard let entries = try reader.list(uri) else { return false }
            // Songs come first, in one query.
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

    fileprivate mutating func append(_ listing: Listing, _ form: LibraryCursor.Form) {
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

    /// Appends a comment under its name in the file, unless that name could be taken for the end of a reply.
    fileprivate mutating func append(comment name: String, _ value: String) {
        // A longer name could make the line longer than clients read.
        guard name.utf8.count <= 80 else { return }
        bytes.append(contentsOf: name.utf8.filter { $0 > 0x20 && $0 != UInt8(ascii: ":") })
        line("", value)
    }
}
