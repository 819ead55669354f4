package import Files
package import Playlists
private import Songs

/// Why a medium cannot be played, in one line with its name.
package struct MediaProblem: Sendable, Hashable {
    package enum Reason: Sendable, Hashable {
        case system(SystemError)
        /// A problem in a playlist; its other entries are played.
        case playlist(PlaylistProblem.Reason)
        case notAPlaylist(ParseError)
        case emptyPlaylist
        /// The names of the playlists between, from the second on; empty when it refers to itself.
        case cycle(through: [String])
        case nestedTooDeep(limit: Int)
        case tooManyPlaylists(limit: Int)
        case tooManyEntries(limit: Int)
        /// Further problems were found and not kept.
        case moreProblems
        /// A playlist beyond the size limit.
        case tooLarge(limit: Int)
        /// A pipe or device instead of a regular file.
        case notAFile
        /// A pipe without any data.
        case silent(seconds: Int)
        case notLocal
        /// A playlist could not be fetched; the text is for a message: `404 Not Found`.
        case network(String)
        /// A scheme other than http and https in a playlist from the network.
        case notOfTheNetwork
        case noMedia(isRecursive: Bool, hasDirectories: Bool)
        /// A path with a drive's letter, and no file of its name next to the playlist.
        case windowsPath
        /// A second `-`.
        case standardInputUsedTwice
    }

    /// The name of the argument or playlist with the problem.
    package var file: String
    /// For a problem in a playlist: the line in `file`, from 1.
    package var line: Int?
    /// For a problem with a playlist's entry: its location.
    package var entry: String?
    package var reason: Reason

    package init(file: String, line: Int? = nil, entry: String? = nil, reason: Reason) {
        self.file = file
        self.line = line
        self.entry = entry
        self.reason = reason
    }
}

extension MediaProblem: CustomStringConvertible {
    /// One line, such as `list.m3u: line 3: x.flac: No such file or directory`.
    package var description: String {
        let place = line.map { ": line \($0)" } ?? ""
        let named = entry.map { ": " + printable($0) } ?? ""
        return "\(printable(file))\(place)\(named): \(reason)"
    }
}

extension MediaProblem.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .system(let error): error.description
        case .playlist(let reason): reason.description
        case .notAPlaylist(let error): error.description
        case .emptyPlaylist: "the playlist has no entries"
        case .cycle(let names) where names.isEmpty: "playlist refers to itself"
        case .cycle(let names): "playlist refers to itself through " + names.map(printable).joined(separator: ", ")
        case .nestedTooDeep(let limit): "playlists are nested more than \(limit) deep"
        case .tooManyPlaylists(let limit): "more than \(limit) playlists; the rest is left out"
        case .tooManyEntries(let limit): "more than \(limit) entries; the rest is left out"
        case .moreProblems: "and more problems"
        case .tooLarge(let limit): "larger than \(limit / 1_048_576) MiB, too large for a playlist"
        case .notAFile: "a playlist must be a regular file"
        case .silent(let seconds): "no data for \(seconds) s"
        case .notLocal: "only local playlists can be read here"
        case .network(let reason): reason
        case .notOfTheNetwork: "a playlist from the network may contain only http and https"
        case .noMedia(isRecursive: true, hasDirectories: _): "no media files in this directory or below it"
        case .noMedia(isRecursive: false, hasDirectories: true):
            "no media files in this directory (use --recursive to look below it)"
        case .noMedia(isRecursive: false, hasDirectories: false): "no media files in this directory"
        case .windowsPath: "a path on a Windows drive"
        case .standardInputUsedTwice: "standard input can be played only once"
        }
    }
}

/// A name on one line: control characters become `?`, as in `ls`; an empty name is quoted, and a URL loses its user
/// name and password.
private func printable(_ name: String) -> String {
    if name.isEmpty { return "''" }
    let name = withoutCredentials(name)
    guard name.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) else { return name }
    return String(name.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : Character($0) })
}
