package import HTTP

/// Why a segmented presentation cannot be played, or no longer.
package enum SegmentError: Error, Sendable, Hashable {
    case notAPlaylist
    /// An invalid line of a playlist, from 1, and the reason.
    case malformed(line: Int, String)
    /// An invalid manifest, and the reason.
    case badManifest(String)
    /// A resource beyond its limit: "the playlist".
    case tooLarge(String)
    case undefinedVariable(String)
    /// A master playlist without variants.
    case noVariants
    /// No variant has sound, according to the playlist.
    case noAudio
    /// A media playlist with an end and no segments.
    case noSegments
    /// A master playlist instead of a media playlist.
    case nestedMaster
    /// The method's name in the playlist.
    case unsupportedEncryption(String)
    /// The key's resource has the wrong size.
    case badKey(bytes: Int)
    /// Decryption failed.
    case cannotDecrypt
    /// A location with a scheme that a document from the network must not use; the scheme, and the kind of resource.
    case forbidden(scheme: String, what: String)
    /// The data is neither a transport stream nor MP4 nor WebM nor packed audio.
    case notMedia
    /// A live playlist that has not changed, for so many seconds.
    case standsStill(seconds: Double)
    /// No segment could be fetched; the last reason.
    case nothingPlayable(HTTPError?)
    /// A request failed for good; the kind of resource: "the playlist", "the key".
    case http(HTTPError, what: String)
}

extension SegmentError {
    /// Whether the interrupt was raised, and the same call may be repeated.
    package var isInterrupted: Bool { if case .http(let error, _) = self { error.kind == .interrupted } else { false } }

    /// The HTTP error behind it.
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
        case .notAPlaylist: "this is not an HTTP Live Streaming playlist"
        case .malformed(let line, let fault): "line \(line) of the playlist is invalid: \(fault)"
        case .badManifest(let fault): "the manifest is invalid: \(fault)"
        case .tooLarge(let what): "\(what) is too large"
        case .undefinedVariable(let name): "the playlist does not define its variable {$\(name)}"
        case .noVariants: "the playlist offers no variants"
        case .noAudio: "no variant has sound"
        case .noSegments: "the playlist has no segments"
        case .nestedMaster: "a variant is itself a list of variants"
        case .unsupportedEncryption(let method): "the segments are encrypted by \(method), which is not supported"
        case .badKey(let bytes): "the key has \(bytes) bytes instead of 16"
        case .cannotDecrypt: "the segments cannot be decrypted"
        case .forbidden(let scheme, let what): "\(what) is at a \(scheme): location, which a playlist must not name"
        case .notMedia: "a segment is neither a transport stream nor MP4 nor WebM nor packed audio"
        case .standsStill(let seconds):
            "the live playlist has not changed for \(Int(saturating: min(seconds, 1e9))) seconds"
        case .nothingPlayable(let error): "no segment could be fetched" + (error.map { ": \($0)" } ?? "")
        case .http(let error, let what): "\(what): \(error)"
        }
    }
}
