package import Announcements

/// How announcements sound, and how many there may be.
package struct AnnouncementSettings: Sendable, Hashable {
    /// In percent of the zone's volume.
    package var volume = 100
    /// In percent of full scale: no announcement is louder.
    package var maxVolume = 100
    /// What is played before each, a path or a URL; `nil` for nothing.
    package var chime: String?
    /// The voice of what is spoken; `nil` for the program's own choice.
    package var voice: String?
    /// The program that speaks, and its arguments with `{text}`, `{voice}` and `{output}`; empty for espeak-ng.
    package var speechCommand: [String] = []
    /// `nil` when there are none.
    package var quietHours: QuietHours?
    /// In percent of the zone's volume: in the quiet hours nothing but alarms is louder.
    package var quietVolume = 30
    /// How long one may wait; `nil` for ever.
    package var expires: Duration?
    /// How many may wait.
    package var maxQueued = 100
    /// How long a text to be spoken may be.
    package var maxTextBytes = 4096

    package init() {}

    /// How loud an announcement is, in percent of its zone's volume.
    ///
    /// - Parameters:
    ///   - asked: What was asked for, in percent of the zone's volume; `nil` when nothing was.
    ///   - zoneVolume: In percent of full scale; `nil` in a zone that has no volume.
    ///   - minute: The minute of the day by the clock on the wall.
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
