import TestSupport

/// What a zone has to be in the end, from what it was told: nothing that comes and goes by itself leaves a trace.
struct SoakModel {
    enum State: String { case play, pause, stop }

    /// What its user wants of a zone.
    struct Zone {
        var state = State.stop
        var volume = 100
        /// Whether a session has the zone's sink to itself, and will not give it back.
        var isTaken = false
    }

    var zones: [String: Zone] = ["default": Zone(), "garden": Zone()]

    mutating func tell(_ zone: String, _ command: String) {
        let words = command.split(separator: " ")
        switch words[0] {
        case "play":
            zones[zone]?.state = .play
            zones[zone]?.isTaken = false
        case "pause": if zones[zone]?.state == .play { zones[zone]?.state = .pause }
        case "stop": zones[zone]?.state = .stop
        default: zones[zone]?.volume = Int(words[1]) ?? 100
        }
    }

    /// A session that is not mixed with others begins to be heard.
    mutating func take(_ zone: String) { zones[zone]?.isTaken = true }

    /// Its owner is gone without a word: what it interrupted does not come back by itself.
    mutating func leave(_ zone: String) {
        guard zones[zone]?.isTaken == true else { return }
        zones[zone]?.isTaken = false
        tell(zone, "pause")
    }
}
