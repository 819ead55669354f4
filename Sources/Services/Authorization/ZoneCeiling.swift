internal import Announcements

/// The most that a zone plays, whoever asks for more, as its owner has decided while the server runs.
package struct ZoneCeiling: Sendable, Hashable {
    /// In percent; `nil` for what the configuration permits.
    package var volume: Int?
    /// Times normal speed; `nil` for any.
    package var speed: Double?
    /// The volume while an alarm rings, where that is higher, in percent; `nil` when alarms are held to `volume` as well.
    package var alarms: Int?
    package var validity = Validity()

    package init() {}

    package var isEmpty: Bool { volume == nil && speed == nil }

    /// The keys, each with what may follow it.
    package static let keys = [
        "volume": "0-100|any", "alarms": "0-100|limited", "speed": "0.25-4|any", "hours": "HH:MM-HH:MM|always",
        "until": "SECONDS|never",
    ]

    /// Applies pairs of keys and values, one after another; changes nothing when one of them is bad.
    package mutating func change(_ words: some Collection<String>) throws(GrantProblem) {
        var changed = self
        var rest = words[...]
        while let key = rest.popFirst() {
            guard let form = Self.keys[key] else { throw GrantProblem(text: "a ceiling has no key '\(key)'") }
            guard let value = rest.popFirst() else { throw GrantProblem(text: "\(key) needs a value") }
            guard changed.set(key, value) else { throw GrantProblem(text: "\(key) is \(form), not '\(value)'") }
        }
        self = changed
    }

    private mutating func set(_ key: String, _ value: String) -> Bool {
        if let isValue = validity.set(key, value) { return isValue }
        switch key {
        case "volume":
            volume = Self.percent(value)
            return volume != nil || value == "any"
        case "alarms":
            alarms = Self.percent(value)
            return alarms != nil || value == "limited"
        default:
            speed = Double(value).flatMap { (0.25...4).contains($0) ? $0 : nil }
            return speed != nil || value == "any"
        }
    }

    private static func percent(_ text: String) -> Int? { Int(text).flatMap { (0...100).contains($0) ? $0 : nil } }

    /// The highest volume in percent; `nil` for what the configuration permits.
    ///
    /// - Parameter isRinging: Whether an alarm rings in the zone.
    package func volume(isRinging: Bool) -> Int? {
        guard isRinging, let alarms else { return volume }
        return volume.map { max($0, alarms) }
    }

    /// The words that make this ceiling of none.
    package var words: [String] {
        var words: [String] = []
        if let volume { words += ["volume", "\(volume)"] }
        if let alarms { words += ["alarms", "\(alarms)"] }
        if let speed { words += ["speed", "\(speed)"] }
        return words + validity.untilWords + validity.hoursWords
    }
}
