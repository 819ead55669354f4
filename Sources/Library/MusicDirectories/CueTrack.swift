internal import AudioTypes
internal import Charsets
internal import Files
internal import MediaExpansion
internal import Playlists
internal import Songs
internal import TextEncodings

/// A track of a cue sheet in the music directory, which MPD shows as `album.cue/track0001`.
struct CueTrack {
    /// From 1, by its place in the sheet.
    let number: Int
    /// The URI of the file that it lies in.
    let file: String
    let range: Song.Range?
    let tags: [(TagType, String)]

    static func uri(_ sheet: String, _ number: Int) -> String {
        sheet + "/track" + String(number, digits: 4)
    }

    /// The track as a song, from the song that its whole file is.
    ///
    /// - Parameter sheet: The sheet whose name it gets; `nil` leaves it that of its file.
    func song(of whole: Song, in sheet: String?) -> Song {
        whole.track(uri: sheet.map { Self.uri($0, number) } ?? file, range: range, tags: tags)
    }
}

/// A cue sheet or a track of it, as a URI names it.
struct CueSheetPlace {
    let uri: String
    /// `nil` for the sheet.
    let track: Int?
    /// Of the sheet's file.
    let state: FileStatus

    var lastModified: Int { state.lastModified }
}

extension MusicDirectory {
    /// The cue sheet that a URI names, itself or one of its tracks; `nil` when it names none.
    func cueSheet(of uri: String) throws(MusicDirectoryError) -> CueSheetPlace? {
        if PlaylistFormat(nameOf: uri) == .cue {
            let state = try state(of: uri)
            return state.kind == .file ? CueSheetPlace(uri: uri, track: nil, state: state) : nil
        }
        guard let slash = uri.utf8.lastIndex(of: UInt8(ascii: "/")) else { return nil }
        let (sheet, name) = (String(uri[..<slash]), uri[uri.utf8.index(after: slash)...])
        guard name.hasPrefix("track"), PlaylistFormat(nameOf: sheet) == .cue, name.utf8.count >= 9,
            let number = Int(name.dropFirst(5)), CueTrack.uri(sheet, number) == uri
        else { return nil }
        let state = try state(of: sheet)
        return state.kind == .file ? CueSheetPlace(uri: sheet, track: number, state: state) : nil
    }

    /// The tracks of a cue sheet whose files are there.
    func cueTracks(_ uri: String) throws(MusicDirectoryError) -> [CueTrack] {
        _ = try resolve(uri)
        // Tracks keep their numbers when the file of one before is gone.
        let list = MediaList(playlist: root + "/" + uri, keepsMissingTracks: true, charset: charsets[uri])
        var tracks: [CueTrack] = []
        for (index, entry) in list.entries.enumerated() {
            guard !entry.isURL, let file = self.uri(ofPath: entry.location), (try? state(of: file)) != nil else {
                continue
            }
            tracks.append(CueTrack(number: index + 1, file: file, range: entry.songRange, tags: entry.songTags(.cue)))
        }
        return tracks
    }
}

extension MediaEntry {
    var songRange: Song.Range? {
        guard start != nil || end != nil else { return nil }
        return Song.Range(start: start?.seconds ?? 0, end: end?.seconds)
    }

    /// The entry's tags in a playlist, as MPD's.
    func songTags(_ format: PlaylistFormat) -> [(TagType, String)] {
        var tags: [(TagType, String)] = []
        for name in self.tags.names {
            guard var tag = TagType(mediaTag: name), tag != .comment else { continue }
            // Lists of stations have one title, which may be the station's; MPD gives it as the song's name.
            if tag == .title, [.m3u, .pls, .asx].contains(format) { tag = .name }
            for value in self.tags[all: name] {
                let isShort = format == .cue && tag == .track && value.utf8.count == 1
                tags.append((tag, isShort ? "0" + value : value))
            }
        }
        return tags.sorted { $0.0.rawValue < $1.0.rawValue }
    }
}
