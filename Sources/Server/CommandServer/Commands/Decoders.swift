internal import FFmpeg
internal import MediaFiles

/// One block of `decoders`.
package struct DecoderPlugin: Sendable, Hashable {
    package let name: String
    package let suffixes: [String]
    package let mimeTypes: [String]
}

/// What can be played: all of it by FFmpeg.
package func decoders() -> [DecoderPlugin] {
    let suffixes = MediaType.audioExtensions + MediaType.videoExtensions
    return [DecoderPlugin(name: "ffmpeg", suffixes: suffixes.sorted(), mimeTypes: mimeTypes())]
}

/// What `urlhandlers` lists: the schemes of streams that FFmpeg can open and that reach nothing on this machine.
package func urlHandlers() -> [String] {
    MediaCatalog.protocols.filter { streamSchemes.contains($0) }.map { $0 + "://" }
}

/// Of FFmpeg's protocols those that name something on the network; never `concat`, `file`, `pipe`, `subfile`, `unix` and
/// their like, which open local files by another name.
private let streamSchemes: Set<String> = [
    "ftp", "gopher", "gophers", "http", "https", "mmsh", "mmst", "rtmp", "rtmpe", "rtmps", "rtmpt", "rtmpte", "rtmpts",
    "rtp", "rtsp", "rtsps", "sftp", "srt", "srtp",
]

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
