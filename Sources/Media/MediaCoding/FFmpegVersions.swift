private import CFFmpeg

/// The versions of the loaded FFmpeg, which may be newer than the one built against.
package enum FFmpegVersions {
    package static var all: [(name: String, version: String)] {
        [
            (name: "libavformat", version: text(avformat_version())),
            (name: "libavcodec", version: text(avcodec_version())),
            (name: "libswresample", version: text(swresample_version())),
            (name: "libavutil", version: text(avutil_version())),
        ]
    }

    /// `AV_VERSION_INT`'s three parts.
    private static func text(_ version: UInt32) -> String {
        "\(version >> 16).\(version >> 8 & 0xff).\(version & 0xff)"
    }
}
