internal import Announcements
internal import LineProtocol

/// A word of a grant that cannot be understood, and what would be.
package struct GrantProblem: Error, Hashable {
    package let text: String
}

/// Grants as words: `permissions read,add zone kitchen=read until 1790000000 hours 07:00-20:00`.
///
/// Commands change grants by such words, and the journal keeps them so.
extension Grants {
    /// The keys, each with what may follow it.
    package static let keys = [
        "songs": "0-10000000|any", "permissions": "LIST|default", "classes": "LIST|default", "zone": "NAME[=LIST]|all",
        "until": "SECONDS|never",
        "hours": "HH:MM-HH:MM[,HH:MM-HH:MM...]|always", "quiet-hours": "HH:MM-HH:MM[,HH:MM-HH:MM...]|none",
    ].merging(GrantLimits.keys) { first, _ in first }

    /// Applies pairs of keys and values, one after another; changes nothing when one of them is bad.
    package mutating func change(_ words: some Collection<String>) throws(GrantProblem) {
        var changed = self
        var rest = words[...]
        while let key = rest.popFirst() {
            guard Self.keys[key] != nil else { throw GrantProblem(text: "a grant has no key '\(key)'") }
            guard let value = rest.popFirst() else { throw GrantProblem(text: "\(key) needs a value") }
            guard changed.set(key, value) else {
                throw GrantProblem(text: "\(key) is \(Self.keys[key] ?? ""), not '\(value)'")
            }
        }
        self = changed
    }

    private mutating func set(_ key: String, _ value: String) -> Bool {
        if let isValue = limits.set(key, value) ?? validity.set(key, value) { return isValue }
        return switch key {
        case "permissions": assign(\.permissions, value, unless: "default") { Permissions(parsing: $0) }
        case "classes": setClasses(value)
        case "zone": setZone(value)
        case "quiet-hours": assign(\.quietHours, value, unless: "none") { QuietHours(parsing: $0) }
        default:
            assign(\.songs, value, unless: "any") { text in
                Int(text).flatMap { (0...10_000_000).contains($0) ? $0 : nil }
            }
        }
    }

    /// - Parameter none: The word for no value.
    private mutating func assign<Value>(
        _ place: WritableKeyPath<Grants, Value?>,
        _ text: String,
        unless none: String,
        _ parse: (String) -> Value?
    ) -> Bool {
        let value = text == none ? nil : parse(text)
        guard value != nil || text == none else { return false }
        self[keyPath: place] = value
        return true
    }

    private mutating func setClasses(_ text: String) -> Bool {
        guard let value = text == "default" ? ClassGrants() : ClassGrants(parsing: text) else { return false }
        classes = value
        return true
    }

    private mutating func setZone(_ text: String) -> Bool {
        if text == "all" {
            zones = [:]
            return true
        }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard (1...64).contains(parts[0].utf8.count), zones.count < Self.mostZones || zones[parts[0]] != nil else {
            return false
        }
        guard let kept = parts.count == 1 ? .all : Permissions(parsing: parts[1]) else { return false }
        zones[parts[0]] = kept
        return true
    }

    private static let mostZones = 100

    /// The words that make these grants of none.
    package var words: [String] {
        var words: [String] = []
        if let permissions { words += ["permissions", "\(permissions)"] }
        if !classes.isEmpty { words += ["classes", "\(classes)"] }
        for (zone, kept) in zones.sorted(by: { $0.key < $1.key }) {
            words += ["zone", kept == .all ? zone : "\(zone)=\(kept)"]
        }
        words += validity.untilWords
        if let songs { words += ["songs", "\(songs)"] }
        words += validity.hoursWords
        if let quietHours { words += ["quiet-hours", quietHours.word] }
        return words + limits.words
    }
}
