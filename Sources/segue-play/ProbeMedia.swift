import AudioTypes
import FFmpeg

/// What a medium contains; an error's description is one line that names the medium.
func probeMedia(_ location: String) throws -> MediaInfo {
    try MediaProbe.probe(location)
}
