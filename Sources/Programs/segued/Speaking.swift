import Configuration
import Speech

/// Who speaks the texts of announcements, as it is configured.
func makeSpeaker(_ settings: AnnouncementSettings, folder: String) -> Speaker {
    var speaker = Speaker(folder: folder, command: settings.speechCommand, voice: settings.voice)
    speaker.maxTextBytes = settings.maxTextBytes
    return speaker
}
