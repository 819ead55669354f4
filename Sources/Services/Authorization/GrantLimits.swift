/// The limits of a principal within its permissions.
package struct GrantLimits: Sendable, Hashable {
    /// The only songs that there are for it; `nil` for the whole library.
    package var library: LibraryScope?
    /// The highest volume in percent that it sets in a zone, by the zone's name; empty names all zones.
    package var volumes: [String: Int] = [:]
    /// The fastest playback that it sets.
    package var speed: Double?
    /// How many songs it adds within an hour.
    package var hourlySongs: Int?
    /// How many announcements it makes within a minute.
    package var announcements: Int?
    /// How many megabytes, of a million bytes each, it is sent within an hour.
    package var hourlyMegabytes: Int?
    /// Whether its songs take turns with those of others where it may only add.
    package var takesTurns = false
    /// The commands that it does not give.
    package var withheld = WithheldCommands()

    package init() {}

    /// The highest volume that it sets in a zone.
    package func volume(in zone: String) -> Int { min(volumes[""] ?? 100, volumes[zone] ?? 100) }
}

/// As words: `library none folder Albums/Blue item 0123… volume kitchen=40`.
extension GrantLimits {
    /// The keys, each with what may follow it.
    package static let keys = [
        "library": "all|none", "folder": "URI", "playlist": "NAME", "filter": "EXPRESSION", "item": "IDENTIFIER",
        "volume": "0-100|ZONE=0-100|ZONE=any|any", "speed": "0.25-4|any", "songs-per-hour": "0-1000000|any",
        "announcements-per-minute": "0-1000000|any", "megabytes-per-hour": "1-1000000|any", "order": "fair|end",
        "commands": "no-NAME,no-NAME...|all",
    ]

    private static let mostZones = 100

    /// Applies a key with its value.
    ///
    /// - Returns: Whether the value is one; `nil` for the key of another grant.
    mutating func set(_ key: String, _ value: String) -> Bool? {
        switch key {
        case "library":
            guard value == "all" || value == "none" else { return false }
            library = value == "all" ? nil : LibraryScope()
            return true
        case "folder", "playlist", "filter", "item":
            var scope = library ?? LibraryScope()
            guard let part = LibraryScope.Part(key: key, value), scope.insert(part) else { return false }
            library = scope
            return true
        case "volume": return setVolume(value)
        case "speed":
            speed = Double(value).flatMap { (0.25...4).contains($0) ? $0 : nil }
            return speed != nil || value == "any"
        case "songs-per-hour":
            hourlySongs = Self.count(value)
            return hourlySongs != nil || value == "any"
        case "announcements-per-minute":
            announcements = Self.count(value)
            return announcements != nil || value == "any"
        case "megabytes-per-hour":
            hourlyMegabytes = Self.count(value).flatMap { $0 > 0 ? $0 : nil }
            return hourlyMegabytes != nil || value == "any"
        case "order":
            takesTurns = value == "fair"
            return value == "fair" || value == "end"
        case "commands":
            guard let commands = WithheldCommands(parsing: value) else { return false }
            withheld = commands
            return true
        default: return nil
        }
    }

    private static func count(_ text: String) -> Int? {
        Int(text).flatMap { (0...1_000_000).contains($0) ? $0 : nil }
    }

    private mutating func setVolume(_ text: String) -> Bool {
        if text == "any" {
            volumes = [:]
            return true
        }
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let zone = parts.count == 1 ? "" : parts[0]
        guard parts.count == 1 || (1...64).contains(zone.utf8.count) else { return false }
        if parts.last == "any" {
            volumes[zone] = nil
            return true
        }
        guard let percent = parts.last.flatMap({ Int($0) }), (0...100).contains(percent),
            volumes[zone] != nil || volumes.count < Self.mostZones
        else { return false }
        volumes[zone] = percent
        return true
    }

    var words: [String] {
        var words: [String] = []
        if let library {
            words += ["library", "none"] + library.parts.flatMap { [$0.words.key, $0.words.text] }
        }
        for (zone, percent) in volumes.sorted(by: { $0.key < $1.key }) {
            words += ["volume", zone.isEmpty ? "\(percent)" : "\(zone)=\(percent)"]
        }
        if let speed { words += ["speed", "\(speed)"] }
        if let hourlySongs { words += ["songs-per-hour", "\(hourlySongs)"] }
        if let announcements { words += ["announcements-per-minute", "\(announcements)"] }
        if let hourlyMegabytes { words += ["megabytes-per-hour", "\(hourlyMegabytes)"] }
        if takesTurns { words += ["order", "fair"] }
        if !withheld.isEmpty { words += ["commands", "\(withheld)"] }
        return words
    }
}
