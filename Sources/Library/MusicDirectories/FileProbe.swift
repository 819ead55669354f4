internal import AudioTypes
internal import FFmpeg
private import Glibc
internal import HTTP
internal import Playlists

/// What libavformat knows of files, for those who cannot wait for long.
///
/// A file that is made of zeros, as one that is still being fetched may be, is read to its end in search of sound: minutes.
package enum FileProbe {
    /// In seconds.
    package static let patience = 15.0
    /// Of a picture, in bytes; there are some of hundreds of megabytes.
    private static let pictureLimit = 32 << 20

    /// It took too long, or was broken off.
    struct OutOfTime: Error {}

    /// - Parameters:
    ///   - limit: In seconds.
    ///   - stop: Breaks it off.
    /// - Throws: `MediaError`, or `OutOfTime`.
    static func info(_ path: FilePath, within limit: Double = patience, stop: Interrupt? = nil) throws -> MediaInfo {
        try look(Interrupt(after: limit, with: stop)) { try MediaProbe.probe(location(path), interrupt: $0) }
    }

    /// - Throws: As `info`.
    static func picture(_ path: FilePath) throws -> MediaPicture? {
        let found = try look(Interrupt(after: patience)) {
            try MediaProbe.picture(location(path), atMost: pictureLimit, interrupt: $0)
        }
        if let found { return found }
        // libavformat passes over pictures of a type that it does not know, or of none.
        guard let file = Descriptor(path, O_RDONLY) else { return nil }
        return ID3v2(TagSource(file))?.picture
    }

    /// What is interrupted fails with whatever the demuxer makes of that.
    private static func look<Result>(_ interrupt: Interrupt, _ body: (Interrupt) throws -> Result) throws -> Result {
        do { return try body(interrupt) } catch { throw interrupt.isRaised ? OutOfTime() : error }
    }

    private static func location(_ path: FilePath) -> String { Playlists.location(ofFileSystemPath: path.bytes) }
}
