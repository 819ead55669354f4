internal import Files

/// Why a stored playlist cannot be read or changed, in one line that names it.
///
/// The cases are MPD's own, so that each stands for one `ACK`.
package enum StoredPlaylistError: Error, Sendable, Hashable {
    /// Empty, or with a slash or a line's end in it.
    case badName(String)
    case doesNotExist(String)
    case alreadyExists(String)
    /// A range that begins behind the last song.
    case badIndex(String)
    /// A move from or to a place that there is not.
    case badRange(String)
    /// A place to add at that there is not.
    case badPosition(String)
    /// More songs than a playlist may have.
    case tooLarge(String, limit: Int)
    /// More bytes than a playlist's file may have.
    case tooManyBytes(String, limit: Int)
    /// As many playlists as there may be.
    case tooMany(limit: Int)
    case inaccessible(String, errno: Int32)
    /// The folder that they are in is not there, and cannot be made.
    case noFolder(String, errno: Int32)
}

extension StoredPlaylistError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .badName(let name):
            "'\(shown(name))' cannot be a playlist's name: it is empty or has a slash or line end in it"
        case .doesNotExist(let name): "no playlist named '\(shown(name))'"
        case .alreadyExists(let name): "a playlist named '\(shown(name))' exists already"
        case .badIndex(let name): "playlist '\(shown(name))' has no song at that place"
        case .badRange(let name): "playlist '\(shown(name))' has no such range to move"
        case .badPosition(let name): "playlist '\(shown(name))' has no such place to add songs at"
        case .tooLarge(let name, let limit): "playlist '\(shown(name))' may have at most \(limit) songs"
        case .tooManyBytes(let name, let limit): "playlist '\(shown(name))' may have at most \(limit) bytes"
        case .tooMany(let limit): "there are \(limit) playlists already"
        case .inaccessible(let name, let number): "playlist '\(shown(name))': \(SystemError(number).description)"
        case .noFolder(let path, let number):
            "the playlist folder \(shown(path)) cannot be made: \(SystemError(number).description)"
        }
    }

    private func shown(_ name: String) -> String {
        String(name.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
    }
}
