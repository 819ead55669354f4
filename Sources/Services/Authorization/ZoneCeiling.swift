internal import Announcements

/// The most that a zone plays, whoever asks for more, as its owner has decided while the server runs.
package struct ZoneCeiling: Sendable, Hashable {
    /// In percent; `nil` for what the configuration permits.
    package var volume: Int?
    /// Times normal speed; `nil` for any.
    package var speed: Double?
    package var validity = Validity()

    package init() {}

    package var isEmpty: Bool { volume == nil && speed == nil }

    /// The keys, each with what may follow it.
    package static let keys = [
        "volume": "PERCENT|any", "speed": "NUMBER|any", "hours": "HH:MM-HH:MM|always", "until": "SECONDS|never",
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
        if key == "volume" {
            volume = Int(value).flatMap { (0...100).contains($0) ? $0 : nil }
            return volume != nil || value == "any"
        }
        speed = Double(value).flatMap { (0.25...4).contains($0) ? $0 : nil }
        return speed != nil || value == "any"
    }

    /// The words that make this ceiling of none.
    package var words: [String] {
        var words: [String] = []
        if let volume { words += ["volume", "\(volume)"] }
        if let speed { words += ["speed", "\(speed)"] }
        return words + validity.untilWords + validity.hoursWords
    }
}
