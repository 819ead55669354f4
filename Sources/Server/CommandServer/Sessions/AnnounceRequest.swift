internal import Announcements
internal import AudioSessions
internal import AudioTypes
internal import Speech
internal import Zones

/// A client's request for an announcement.
struct AnnounceRequest {
    /// As the client wrote it.
    var uri: String?
    var medium: MediaEntry?
    var text: String?
    var voice: String?
    /// The chime to play first.
    var chime: [MediaEntry] = []
    /// In percent of the zone's volume; `nil` for the configured volume.
    var volume: Int?
    /// By how many dB others are lowered meanwhile; `nil` for the configured depth.
    var duck: Double?
    var announcementClass = AnnouncementClass.normal
    var priority = 0
    var expires: Duration?
    var zones: [Zone] = []
    /// Whether zones that cannot sound are left out, if others can.
    var isForAllThatSound = false
    var owner = ""
    /// Stops the program that speaks the text.
    let cancellation = SpeechCancellation()
    /// The file that holds the spoken text.
    var spokenFile: String?
}

extension AnnouncementClass {
    var sessionClass: SessionClass {
        switch self {
        case .normal: .normal
        case .assistant: .assistant
        case .alarm: .alarm
        }
    }
}
