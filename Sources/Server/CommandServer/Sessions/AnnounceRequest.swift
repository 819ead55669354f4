internal import Announcements
internal import AudioSessions
internal import AudioTypes
internal import Speech
internal import Zones

/// What somebody wants announced.
struct AnnounceRequest {
    /// As it was given.
    var uri: String?
    var medium: MediaEntry?
    var text: String?
    var voice: String?
    /// What is played before it.
    var chime: [MediaEntry] = []
    /// In percent of the zone's volume; `nil` for what is configured.
    var volume: Int?
    /// In dB, how much quieter others are meanwhile; `nil` for what is configured.
    var duck: Double?
    var announcementClass = AnnouncementClass.normal
    var priority = 0
    var expires: Duration?
    var zones: [Zone] = []
    var owner = ""
    /// Ends the program that speaks its text.
    let cancellation = SpeechCancellation()
    /// Where its text was spoken into.
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
