package import HTTP

/// Why a presentation in segments cannot be played, or not played on.
package enum SegmentError: Error, Sendable, Hashable {
    case notAPlaylist
    /// A line of a playlist, from 1, that cannot be followed, and what is wrong with it.
    case malformed(line: Int, String)
    /// A manifest that cannot be followed, and what is wrong with it.
    case badManifest(String)
    /// What is larger than one takes: "the playlist".
    case tooLarge(String)
    case undefinedVariable(String)
    /// A master playlist that offers nothing.
    case noVariants
    /// None of the variants has sound, as far as it says.
    case noAudio
    /// A media playlist with an end and no segments.
    case noSegments
    /// A master playlist where segments should be.
    case nestedMaster
    /// By its name in the playlist.
    case unsupportedEncryption(String)
    /// The key's resource is no key.
    case badKey(bytes: Int)
    /// The decryptor refuses.
    case cannotDecrypt
    /// A location of a scheme that something from the network must not name; by the scheme, and whose location it is.
    case forbidden(scheme: String, what: String)
    /// What came is neither a transport stream nor MP4 nor WebM nor packed audio.
    case notMedia
    /// A live playlist that brings nothing new, for so many seconds.
    case standsStill(seconds: Double)
    /// Nothing of it could be fetched; the last reason.
    case nothingPlayable(HTTPError?)
    /// A request failed for good; what was asked for: "the playlist", "the key".
    case http(HTTPError, what: String)
}

extension SegmentError {
    /// Whether it is only that the interrupt was raised: the same call may be made again.
    package var isInterrupted: Bool { if case .http(let error, _) = self { error.kind == .interrupted } else { false } }

    /// What HTTP says about it.
    package var httpError: HTTPError? {
        switch self {
        case .http(let error, _): error
        case .nothingPlayable(let error): error
        default: nil
        }
    }
}

extension SegmentError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .notAPlaylist: "this is no playlist of HTTP Live Streaming"
        case .malformed(let line, let fault): "line \(line) of the playlist cannot be followed: \(fault)"
        case .badManifest(let fault): "the manifest cannot be followed: \(fault)"
        case .tooLarge(let what): "\(what) is too large"
        case .undefinedVariable(let name): "the playlist does not define its variable {$\(name)}"
        case .noVariants: "the playlist offers no variants"
        case .noAudio: "no variant has sound"
        case .noSegments: "the playlist has no segments"
        case .nestedMaster: "a variant is a list of variants again"
        case .unsupportedEncryption(let method): "the segments are encrypted by \(method), which is not supported"
        case .badKey(let bytes): "the key has \(bytes) bytes instead of 16"
        case .cannotDecrypt: "the segments cannot be decrypted"
        case .forbidden(let scheme, let what): "\(what) is at a \(scheme): location, which a playlist must not name"
        case .notMedia: "a segment is neither a transport stream nor MP4 nor WebM nor packed audio"
        case .standsStill(let seconds):
            "the live playlist has brought nothing new for \(Int(min(seconds, 1e9))) seconds"
        case .nothingPlayable(let error): "no segment could be fetched" + (error.map { ": \($0)" } ?? "")
        case .http(let error, let what): "\(what): \(error)"
        }
    }
}
