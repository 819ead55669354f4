import Settings
import Speech

/// The configured speech synthesizer for announcements.
func makeSpeaker(_ settings: AnnouncementSettings, folder: String) -> Speaker {
    var speaker = Speaker(folder: folder, command: settings.speechCommand, voice: settings.voice)
    speaker.maxTextBytes = settings.maxTextBytes
    return speaker
}
