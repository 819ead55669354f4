internal import AudioTypes
internal import Charsets
internal import Files
internal import MediaCoding
internal import MediaHeaders
package import Songs
package import TimedText

/// The lyrics of a song, and where they were found.
package struct SongLyrics: Sendable, Hashable {
    package enum Source: String, Sendable, Hashable { case file, embedded }

    package let lyrics: Lyrics
    package let source: Source
}

extension MusicDirectory {
    /// The lyrics of a song: in the LRC file beside it (`song.lrc`, in any letter case), else in its tags, there those
    /// with times first.
    ///
    /// Of a CUE sheet's track and of a part of a file only what is sung in it is given, in the part's own time. Blocks.
    ///
    /// - Parameter range: The part of the file.
    /// - Returns: `nil` when there are none.
    package func lyrics(_ uri: String, range: Song.Range? = nil) throws(MusicDirectoryError) -> SongLyrics? {
        guard let sheet = try cueSheet(of: uri) else { return try lyrics(ofFile: uri, range) }
        guard let track = try cueTracks(sheet.uri).first(where: { $0.number == sheet.track }) else {
            throw .doesNotExist(uri)
        }
        return try lyrics(ofFile: track.file, track.range)
    }

    private func lyrics(ofFile uri: String, _ range: Song.Range?) throws(MusicDirectoryError) -> SongLyrics? {
        guard try state(of: uri).kind == .file, isPlayable(uri) else { throw .notPlayable(uri) }
        let whole = try lyrics(ofWhole: uri)
        guard let found = whole, let range else { return whole }
        let part = found.lyrics.part(
            from: MediaTime(seconds: range.start),
            to: range.end.map { MediaTime(seconds: $0) }
        )
        return part.map { SongLyrics(lyrics: $0, source: found.source) }
    }

    private func lyrics(ofWhole uri: String) throws(MusicDirectoryError) -> SongLyrics? {
        if let beside = try lyricsFile(of: uri) { return SongLyrics(lyrics: beside, source: .file) }
        return try embeddedLyrics(uri).map { SongLyrics(lyrics: $0, source: .embedded) }
    }

    /// The lyrics in the file beside a song; `nil` when there is none that can be read.
    private func lyricsFile(of uri: String) throws(MusicDirectoryError) -> Lyrics? {
        let folder = parent(of: uri)
        let name = (folder.isEmpty ? uri : String(uri.dropFirst(folder.count + 1)))
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
        let wanted = "\(stem).lrc".lowercased()
        let files = try DirectoryScan(self, folder) { $0.lowercased() == wanted }.files.filter {
            $0.state.kind == .file
        }
        // Two songs may differ in their letter case alone.
        guard let file = files.first(where: { $0.name.hasPrefix(stem) }) ?? files.first else { return nil }
        let descriptor = try open(folder.isEmpty ? file.name : folder + "/" + file.name, .reading)
        guard let bytes = try? descriptor.bytes(at: 0, count: Lyrics.byteLimit) else { return nil }
        return Lyrics(lrc: bytes, charset: charsets[uri])
    }

    /// The lyrics in a song's tags, in formats that are not read here those that FFmpeg finds.
    private func embeddedLyrics(_ uri: String) throws(MusicDirectoryError) -> Lyrics? {
        let file = try open(uri, .reading)
        var reader = TagReader(file.number, size: (try? file.status.size) ?? 0, charset: charsets[uri])
        if let lyrics = reader.lyrics() { return lyrics }
        guard reader.comments(ofID3: true) == nil, let info = try? FileProbe.info(uri, in: self) else { return nil }
        // ID3's names end in a language, such as `lyrics-eng`.
        return info.tags.names.firstNonNil { name in
            guard name.lowercased().hasPrefix("lyrics") || name.lowercased() == "unsyncedlyrics" else { return nil }
            return info.tags[name].flatMap { Lyrics(lrc: $0.utf8) }
        }
    }
}
