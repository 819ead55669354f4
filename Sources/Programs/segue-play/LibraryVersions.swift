import FFmpeg
import Outputs

/// The libraries that playing depends on, as they are loaded now.
func libraryVersions() -> [(name: String, version: String)] {
    FFmpegVersions.all + [(name: "libpulse", version: PulseSink.libraryVersion)]
}
