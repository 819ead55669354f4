package import AudioTypes
package import HTTP
package import Segments

/// Why a medium cannot be played, in one line that names it.
package struct MediaError: Error, Sendable, Hashable {
    /// What is wrong, by what a caller can do about it.
    package enum Reason: Sendable, Hashable {
        /// It cannot be reached or read: the system or the network said no.
        case inaccessible(FFmpegError)
        /// It was reached, and is not media that can be understood.
        case notMedia(FFmpegError)
        case isEmpty
        case isDirectory
        case noAudio
        /// There is audio, but not the track that was asked for.
        case noSuchTrack(AudioTrackSelection)
        /// No sample could be decoded.
        case undecodable
        /// What is to be played of it is nothing.
        case noSamples
        /// It could not be fetched.
        case network(HTTPError)
        /// Its playlist or segments are at fault.
        case streaming(SegmentError)
        /// Its kind of address is none that is played from.
        case unknownScheme
        /// Its kind of address is played from, but not by the libavformat that is installed.
        case missingProtocol
        /// A page to be read, where media were expected.
        case webPage
        /// A playlist that leads to nothing.
        case emptyPlaylist
        /// Playlists that lead to playlists, and so on.
        case endlessPlaylist
        /// What was fetched names something that only this machine's own files may name.
        case forbidden
    }

    package let location: String
    package let reason: Reason

    package init(location: String, reason: Reason) {
        self.location = location
        self.reason = reason
    }

    /// The location without user name and password.
    package static func display(_ location: String) -> String {
        guard let scheme = location.firstRange(of: "://") else { return location == "-" ? "standard input" : location }
        let rest = location[scheme.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        guard let at = authority.lastIndex(of: "@") else { return location }
        return location[..<scheme.upperBound] + String(rest[rest.index(after: at)...])
    }
}

extension MediaError: CustomStringConvertible {
    package var description: String { "\(Self.display(location)): \(reason)" }
}

extension MediaError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .inaccessible(let error): error.reason
        case .notMedia: "not a media file, or too damaged to tell"
        case .isEmpty: "the file is empty"
        case .isDirectory: "is a directory"
        case .noAudio: "there is no audio in it"
        case .noSuchTrack(.number(let number)): "there is no audio track \(number)"
        case .noSuchTrack(.language(let language)): "there is no audio track in language '\(language)'"
        case .noSuchTrack(.automatic): "there is no audio in it"
        case .undecodable: "its audio cannot be decoded"
        case .noSamples: "there is nothing to hear in it"
        case .network(let error): "\(error)"
        case .streaming(let error): "\(error)"
        case .unknownScheme: "nothing is played from addresses of this kind"
        case .missingProtocol: "the FFmpeg that is installed cannot fetch from addresses of this kind"
        case .webPage: "a page of text, not media"
        case .emptyPlaylist: "the playlist is empty"
        case .endlessPlaylist: "a playlist of playlists that does not come to an end"
        case .forbidden: "a playlist of the network must not name it"
        }
    }
}
