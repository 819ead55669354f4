import MediaCoding
import Outputs

/// The libraries used for playback, in their loaded versions.
func libraryVersions() -> [(name: String, version: String)] {
    FFmpegVersions.all + [(name: "libpulse", version: PulseSink.libraryVersion)]
}
