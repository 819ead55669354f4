package import Announcements

/// The sound of announcements, and their limits.
package struct AnnouncementSettings: Sendable, Hashable {
    /// In percent of the zone's volume.
    package var volume = 100
    /// In percent of full scale: the upper limit for announcements.
    package var maxVolume = 100
    /// Played before each announcement, a path or a URL; `nil` for none.
    package var chime: String?
    /// The voice for spoken text; `nil` for the program's default.
    package var voice: String?
    /// The speech program and its arguments with `{text}`, `{voice}` and `{output}`; empty for espeak-ng.
    package var speechCommand: [String] = []
    /// `nil` for none.
    package var quietHours: QuietHours?
    /// In percent of the zone's volume: the upper limit during quiet hours, except for alarms.
    package var quietVolume = 30
    /// How long an announcement may wait; `nil` for no limit.
    package var expires: Duration?
    /// How many announcements may wait.
    package var maxQueued = 100
    /// The longest text to speak, in bytes.
    package var maxTextBytes = 4096
    /// Where the owner is told that a client asks to be known: a zone, or `AnnouncementRule.everywhere`; `nil` for nowhere.
    package var pairingZone: String?
    /// The text of that, with `{name}` for the name that the client asks for.
    package var pairingText = "Somebody asks to be let in."

    package init() {}

    /// The volume of an announcement, in percent of its zone's volume.
    ///
    /// - Parameters:
    ///   - asked: The requested volume, in percent of the zone's volume; `nil` for none.
    ///   - zoneVolume: In percent of full scale; `nil` in a zone without a volume.
    ///   - minute: The minute of the day in local time.
    package func volume(
        asked: Int?,
        class announcementClass: AnnouncementClass,
        zoneVolume: Int?,
        minuteOfDay minute: Int
    ) -> Int {
        var volume = min(max(asked ?? self.volume, 0), 100)
        if announcementClass != .alarm, quietHours?.contains(minute: minute) == true {
            volume = min(volume, quietVolume)
        }
        let zone = min(max(zoneVolume ?? 100, 0), 100)
        return zone == 0 ? volume : min(volume, maxVolume * 100 / zone)
    }
}
