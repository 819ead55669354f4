internal import AudioTypes
internal import LineProtocol
internal import MusicDirectories
internal import Records
internal import ServerBasics
internal import ServerMusic
internal import ServerRequests
internal import Songs
internal import TimedText

/// The words of songs.
let lyricsCommands: [Row<MusicServices>] = [
    Row("lyrics", .read, library: .song, reply: .records(.lyrics), .text("URI"), .optional(.songRange())) {
        request,
        uri,
        part in
        let (music, name) = try request.place(ofSong: uri)
        return try request.perform(on: .files(request.services.media.uriInMusic(uri))) {
            guard let found = try asSong({ try music.lyrics(name, range: part?.range) }) else {
                throw AckError(.doesNotExist, "No lyrics exist")
            }
            return found
        } then: { found in
            .stream(ByteSource(Reply(found).bytes))
        }
    }
]

extension Request<MusicServices> {
    /// The directory in which a song is looked for and its name there: the music directory, or that of a file outside of
    /// it, for those who may read any file.
    fileprivate func place(ofSong uri: String) throws -> (MusicDirectory, String) {
        let name = services.media.uriInMusic(uri)
        guard name.hasPrefix("/") || hasScheme(name) else { return (try services.media.requireDirectory(), name) }
        let path = try foreignSong(name).uri
        guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")), path.hasPrefix("/") else {
            throw AckError(.doesNotExist, "No lyrics exist")
        }
        let file = path.utf8.index(after: slash)
        return (MusicDirectory(root: String(path[..<file]), followsOutsideLinks: true), String(path[file...]))
    }
}

extension Reply {
    fileprivate init(_ found: SongLyrics) {
        self.init()
        line("source", found.source.rawValue)
        line("synced", found.lyrics.isSynced)
        if let language = found.lyrics.language { line("language", language) }
        for lyricsLine in found.lyrics.lines {
            if let time = lyricsLine.time { line("time", seconds: time.seconds) }
            line("line", lyricsLine.text)
        }
    }
}
