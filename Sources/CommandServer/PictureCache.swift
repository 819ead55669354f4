internal import FFmpeg
internal import MusicFiles
private import Synchronization

/// The embedded picture that was read last: clients fetch it in many small pieces.
///
/// May be used from any thread.
final class PictureCache: Sendable {
    private let last = Mutex<(uri: String, lastModified: Int, picture: MediaPicture?)?>(nil)

    /// Blocks.
    func picture(_ uri: String, in music: MusicDirectory) throws -> MediaPicture? {
        let lastModified = (try? music.state(of: uri).lastModified) ?? 0
        let known = last.withLock { last -> MediaPicture?? in
            guard let last, last.uri == uri, last.lastModified == lastModified else { return nil }
            return .some(last.picture)
        }
        if let known { return known }
        let picture = try music.picture(uri)
        last.withLock { $0 = (uri, lastModified, picture) }
        return picture
    }
}
