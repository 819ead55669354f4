import Configuration
import Speech

/// Who speaks the texts of announcements, as it is configured.
func makeSpeaker(_ configuration: Configuration) -> Speaker {
    var speaker = Speaker(
        folder: configuration.cacheDirectory + "/speech",
        command: configuration.announcements.speechCommand,
        voice: configuration.announcements.voice
    )
    speaker.maxTextBytes = configuration.announcements.maxTextBytes
    return speaker
}
