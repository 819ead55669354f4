package import AudioTypes

/// An alarm of a zone.
package struct Alarm: Sendable, Hashable, Identifiable {
    /// A positive number, never reused.
    package let id: Int
    package var when: Recurrence
    /// The zone where it rings; empty for the default zone.
    package var zone = ""
    /// For people.
    package var name = ""
    /// The medium that it plays: a URL, a path, or the name of a stored playlist; `nil` for the built-in bell.
    package var uri: String?
    /// The medium that it plays when `uri` does not start; `nil` for the built-in bell.
    package var fallback: String?
    /// The addresses that its URLs are fetched from, for the client that made it.
    package var reach = NetworkReach.anywhere
    /// The user, the address or the name of the client that made it, as text; empty for the server's owner.
    package var maker = ""
    /// The server's reason for disabling it; `nil` if it is enabled, or a client has disabled it.
    package var disabledReason: String?
    /// In percent, at the start and at the end of the ramp.
    package var volume = 40...40
    /// Length of the ramp, in seconds.
    package var ramp = 60.0
    /// How long it is silent for a snooze, in seconds.
    package var snooze = 540.0
    /// How long it rings at most, in seconds.
    package var length = 3_600.0
    /// Whether what it plays is loaded into the queue when it has been dismissed.
    package var playsOn = false
    /// When it rings again after a snooze.
    package var snoozedUntil: Moment?
    /// Since when it rings, and the zone's volume before.
    package var ringing: Ringing?

    package struct Ringing: Sendable, Hashable {
        package var since: Moment
        /// In percent; `nil` where the zone has no volume.
        package var volume: Int?

        package init(since: Moment, volume: Int?) {
            self.since = since
            self.volume = volume
        }
    }

    package init(id: Int, _ when: Recurrence) {
        self.id = id
        self.when = when
    }

    /// The volume after so many seconds, in percent.
    package func volume(after seconds: Double) -> Double {
        let share = ramp > 0 ? min(max(0, seconds / ramp), 1) : 1
        return Double(volume.lowerBound) + share * Double(volume.upperBound - volume.lowerBound)
    }
}
