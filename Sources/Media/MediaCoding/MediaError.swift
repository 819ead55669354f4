package import AudioTypes
package import FFmpegValues
package import HTTP
package import Segments

/// Why a medium cannot be played, in one line with its name.
package struct MediaError: Error, Sendable, Hashable {
    /// The cause, distinguished by how a caller can react.
    package enum Reason: Sendable, Hashable {
        /// It cannot be reached or read: an error of the system or the network.
        case inaccessible(FFmpegError)
        /// It was reached, but cannot be recognised as media.
        case notMedia(FFmpegError)
        /// MP4 without its index.
        case isCutOff
        case isEmpty
        case isDirectory
        case noAudio
        /// It has audio, but not the requested track.
        case noSuchTrack(TrackSelection)
        /// An MP4 file that is too long to be read through before it is played, on a server without ranges.
        case indexAtEnd
        /// No sample could be decoded.
        case undecodable
        /// FLAC with 32 bits per sample, which the installed FFmpeg does not decode.
        case flac32
        /// A kind of file that the installed FFmpeg knows, but does not read.
        case unsupported
        /// The part to be played is empty.
        case noSamples
        /// It could not be fetched.
        case network(HTTPError)
        /// Its playlist or segments are invalid.
        case streaming(SegmentError)
        /// Its URL scheme is not supported.
        case unknownScheme
        /// Its URL scheme is supported, but not by the installed libavformat.
        case missingProtocol
        /// An HLS or DASH manifest in a local file, which would make the player fetch the URLs in it.
        case manifestInFile
        /// Its URL scheme must be enabled in the configuration.
        case protocolIsOff(String)
        /// Its URL scheme is not fetched for a network client, except from configured hosts.
        case notForClient(String)
        /// A web page, where media were expected.
        case webPage
        /// A playlist without any entry.
        case emptyPlaylist
        /// Playlists that lead to playlists, and so on.
        case endlessPlaylist
        /// A document from the network refers to something that only local files may refer to.
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
        case .isCutOff: "the file is cut off: its index is missing"
        case .isEmpty: "the file is empty"
        case .isDirectory: "is a directory"
        case .noAudio: "there is no audio in it"
        case .noSuchTrack(.number(let number)): "there is no audio track \(number)"
        case .noSuchTrack(.language(let language)): "there is no audio track in language '\(language)'"
        case .noSuchTrack(.automatic), .noSuchTrack(.preferred), .noSuchTrack(.languages): "there is no audio in it"
        case .indexAtEnd: "its index stands at the end and the server sends no ranges"
        case .undecodable: "its audio cannot be decoded"
        case .flac32: "32-bit FLAC is decoded by FFmpeg 6 and later only"
        case .unsupported: "the installed FFmpeg does not read files of this kind"
        case .noSamples: "there are no samples to play"
        case .network(let error): "\(error)"
        case .streaming(let error): "\(error)"
        case .unknownScheme: "URLs of this kind are not supported"
        case .missingProtocol: "the installed FFmpeg does not support URLs of this kind"
        case .manifestInFile: "a manifest is played from its URL, not from a file"
        case .protocolIsOff("listen"):
            "listening for a sender is off: see network.protocols in segued.toml(5)"
        case .protocolIsOff(let scheme): "\(scheme): is off: see network.protocols in segued.toml(5)"
        case .notForClient(let scheme):
            "\(scheme): is fetched for clients of the network only from hosts that network.allow in segued.toml(5) names"
        case .webPage: "a web page, not media"
        case .emptyPlaylist: "the playlist is empty"
        case .endlessPlaylist: "playlists lead to playlists without end"
        case .forbidden: "a playlist from the network must not name it"
        }
    }
}
