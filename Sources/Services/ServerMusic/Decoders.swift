package import AudioTypes
internal import MediaCoding
internal import MediaExpansion

/// One block of `decoders`.
package struct DecoderPlugin: Sendable, Hashable {
    package let name: String
    package let suffixes: [String]
    package let mimeTypes: [String]
}

/// The decoders of all that can be played: FFmpeg alone.
package func decoders() -> [DecoderPlugin] {
    let suffixes = MediaType.audioExtensions + MediaType.videoExtensions
    return [DecoderPlugin(name: "ffmpeg", suffixes: suffixes.sorted(), mimeTypes: mimeTypes())]
}

/// The schemes that `urlhandlers` lists: those of streams that FFmpeg can open, that reach nothing on this machine, and
/// that are permitted.
package func urlHandlers(_ policy: NetworkPolicy) -> [String] {
    openable.filter { policy.permits(scheme: $0) }.map { $0 + "://" }
}

/// Whether URLs of a scheme, in lower case, can be opened and are permitted.
package func canOpen(scheme: String, _ policy: NetworkPolicy) -> Bool {
    policy.permits(scheme: scheme) && openable.contains(scheme)
}

/// Of FFmpeg's protocols those that name something on the network; never `concat`, `file`, `pipe`, `subfile`, `unix` and
/// their like, which open local files by another name.
private let openable = MediaCatalog.protocols.filter { NetworkPolicy.everything.permits(scheme: $0) }

/// FFmpeg names few MIME types of audio; these are the usual ones of what it plays.
private func mimeTypes() -> [String] {
    let usual = [
        "application/flac", "application/ogg", "application/x-flac", "application/x-ogg", "audio/aac", "audio/aacp",
        "audio/ac3", "audio/aiff", "audio/basic", "audio/flac", "audio/m4a", "audio/mp4", "audio/mpeg",
        "audio/musepack",
        "audio/ogg", "audio/opus", "audio/vorbis", "audio/wav", "audio/webm", "audio/x-aiff", "audio/x-flac",
        "audio/x-m4a", "audio/x-matroska", "audio/x-ms-wma", "audio/x-ogg", "audio/x-wav", "audio/x-wavpack",
        "video/mp4", "video/ogg", "video/quicktime", "video/webm", "video/x-matroska",
    ]
    let named = MediaCatalog.mimeTypes.filter { $0.hasPrefix("audio/") || $0.hasPrefix("video/") }
    return Set(usual + named).sorted()
}
