package import Announcements
package import AudioSessions
package import AudioTypes
package import Speech
package import Zones

/// A client's request for an announcement.
package struct AnnounceRequest {
    /// As the client wrote it.
    package var uri: String?
    package var medium: MediaEntry?
    package var text: String?
    package var voice: String?
    /// The chime to play first.
    package var chime: [MediaEntry] = []
    /// In percent of the zone's volume; `nil` for the configured volume.
    package var volume: Int?
    /// By how many dB others are lowered meanwhile; `nil` for the configured depth.
    package var duck: Double?
    package var announcementClass = AnnouncementClass.normal
    package var priority = 0
    package var expires: Duration?
    package var zones: [Zone]
    /// Whether zones that cannot sound are left out, if others can.
    package var isForAllThatSound = false
    package var owner: String
    /// Stops the program that speaks the text.
    package let cancellation = SpeechCancellation()
    /// The file that holds the spoken text.
    var spokenFile: String?

    package init(
        uri: String? = nil,
        medium: MediaEntry? = nil,
        text: String? = nil,
        zones: [Zone],
        owner: String
    ) {
        (self.uri, self.medium, self.text, self.zones, self.owner) = (uri, medium, text, zones, owner)
    }
}

extension AnnouncementClass {
    package var sessionClass: SessionClass {
        switch self {
        case .normal: .normal
        case .assistant: .assistant
        case .alarm: .alarm
        }
    }
}
