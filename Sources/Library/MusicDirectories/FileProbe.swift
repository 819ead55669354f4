package import AudioTypes
internal import Files
internal import HTTP
internal import LibraryScan
internal import MediaCoding
internal import MediaHeaders
internal import Playlists
internal import Songs
package import Threads

/// Reads the facts of files by libavformat, for those who cannot wait for long.
///
/// A file that is made of zeros, as one that is still being fetched may be, is read to its end in search of sound: minutes.
package enum FileProbe {
    /// In seconds.
    package static let patience = 15.0
    /// In seconds, for two minutes of sound.
    private static let fingerprintPatience = 60.0
    /// Of a picture, in bytes; there are some of hundreds of megabytes.
    private static let pictureLimit = 32 << 20

    /// It took too long, or was broken off.
    struct OutOfTime: Error {}

    /// The contents of a file of the music directory, unless it has ended the process twice.
    ///
    /// - Throws: `MusicDirectoryError.notPlayable` for such a file; `MediaError`, or `OutOfTime`.
    static func info(_ uri: String, in music: MusicDirectory) throws -> MediaInfo {
        let path = try music.resolve(uri)
        return try marked(uri, music) { try info(path) }
    }

    /// - Throws: As `info`.
    static func picture(_ uri: String, in music: MusicDirectory) throws -> MediaPicture? {
        let path = try music.resolve(uri)
        return try marked(uri, music) { try picture(path) }
    }

    /// The Chromaprint fingerprint of a file of the music directory, or of the part of one that a track of a CUE sheet is.
    ///
    /// - Parameter stop: Breaks it off.
    /// - Throws: As `info`.
    package static func fingerprint(_ uri: String, in music: MusicDirectory, stop: Interrupt) throws -> String {
        let entry = try music.resolve(music.mediaEntry(for: Song(uri: uri)))
        let file = music.uri(ofWritten: entry.location) ?? uri
        return try marked(file, music) { try fingerprint(entry, stop: stop) }
    }

    /// The Chromaprint fingerprint of a file anywhere.
    ///
    /// - Throws: `MediaError`, or `OutOfTime`.
    package static func fingerprint(_ entry: MediaEntry, stop: Interrupt) throws -> String {
        try look(Interrupt(after: fingerprintPatience, with: stop)) {
            try Fingerprinter.fingerprint(of: entry, interrupt: $0)
        }
    }

    /// Has the marks say that a file is being read.
    private static func marked<Value>(
        _ uri: String,
        _ music: MusicDirectory,
        _ body: () throws -> Value
    ) throws -> Value {
        guard let marks = music.marks else { return try body() }
        let state = try music.state(of: uri)
        let mark = ReadingMarks.Mark(uri: uri, size: state.size, modified: state.modified, inode: state.inode)
        guard let value = try marks.read(mark, as: .client, body) else { throw MusicDirectoryError.notPlayable(uri) }
        return value
    }

    /// - Parameters:
    ///   - limit: In seconds.
    ///   - stop: Breaks it off.
    /// - Throws: `MediaError`, or `OutOfTime`.
    static func info(_ path: FilePath, within limit: Double = patience, stop: Interrupt? = nil) throws -> MediaInfo {
        try look(Interrupt(after: limit, with: stop)) { try MediaProbe.probe(location(path), interrupt: $0) }
    }

    /// - Throws: As `info`.
    private static func picture(_ path: FilePath) throws -> MediaPicture? {
        var failure: MediaError?
        do {
            let found = try look(Interrupt(after: patience)) {
                try MediaProbe.picture(location(path), atMost: pictureLimit, interrupt: $0)
            }
            if let found { return found }
        } catch let error as MediaError {
            failure = error
        }
        // libavformat passes over pictures of a type that it does not know, or of none, and does not open all files.
        guard let file = try? Descriptor(path, .reading) else { return nil }
        let size = (try? file.status.size) ?? 0
        var reader = TagReader(file.number, size: size)
        if let picture = reader.embeddedPicture() {
            return MediaPicture(mimeType: picture.mimeType, bytes: picture.bytes)
        }
        guard let failure else { return nil }
        // A song of the library whose header libavformat does not understand has no picture.
        var headers = HeaderReader()
        var song = ScannedFile(uri: String(decoding: path.bytes, as: UTF8.self), size: size, modified: 0, inode: 0)
        guard case .complete = headers.read(file.number, into: &song) else { throw failure }
        return nil
    }

    /// Tells the end of the time from other failures: an interrupted demuxer fails in its own words.
    private static func look<Result>(_ interrupt: Interrupt, _ body: (Interrupt) throws -> Result) throws -> Result {
        do { return try body(interrupt) } catch { throw interrupt.isRaised ? OutOfTime() : error }
    }

    private static func location(_ path: FilePath) -> String { Playlists.location(ofFileSystemPath: path.bytes) }
}
