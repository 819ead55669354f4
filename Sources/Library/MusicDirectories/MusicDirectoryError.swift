internal import Files
internal import Glibc

/// Why something in the music directory cannot be given, in one line that names it.
package enum MusicDirectoryError: Error, Sendable, Hashable {
    case doesNotExist(String)
    /// A URI that no file can have: absolute, with `..` or with an empty component.
    case malformed(String)
    /// A link that leads out of the music directory.
    case outside(String)
    /// It exists, and is nothing to be played: not a medium, or damaged.
    case notPlayable(String)
    /// The system said no; an error number of the system.
    case inaccessible(String, errno: Int32)

    package var uri: String {
        switch self {
        case .doesNotExist(let uri), .malformed(let uri), .outside(let uri), .notPlayable(let uri): uri
        case .inaccessible(let uri, errno: _): uri
        }
    }

    /// The error of a failed call for a URI.
    static func system(_ error: SystemError, _ uri: String) -> Self {
        switch error.number {
        case ENOENT, ENOTDIR, ENAMETOOLONG: .doesNotExist(uri)
        default: .inaccessible(uri, errno: error.number)
        }
    }
}

extension MusicDirectoryError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .doesNotExist(let uri): "\(Self.shown(uri)): no such file or directory in the music directory"
        case .malformed(let uri): "\(Self.shown(uri)): not a path relative to the music directory"
        case .outside(let uri): "\(Self.shown(uri)): leads out of the music directory"
        case .notPlayable(let uri): "\(Self.shown(uri)): not a media file that can be played"
        case .inaccessible(let uri, errno: let number): "\(Self.shown(uri)): \(SystemError(number).description)"
        }
    }

    /// On one line; the music directory itself has an empty URI.
    private static func shown(_ uri: String) -> String {
        if uri.isEmpty { return "music directory" }
        return String(uri.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
    }
}
