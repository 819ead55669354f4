package import ServerRights
package import Settings

/// The connections whose encryption is being agreed on.
///
/// A value without sockets. It is bounded: when there are too many from one place, or in all, the oldest of that place, or of
/// the place with the most, gives way, so that those who never finish keep none out who do.
package struct Handshakes: Sendable {
    private struct Entry {
        let number: Int
        let place: ClientPlace
    }

    /// By age.
    private var entries: [Entry] = []

    /// Begins one.
    ///
    /// - Returns: The number of the one that is to be ended for it; `nil` while there is room.
    package mutating func begin(_ number: Int, from place: ClientPlace, _ limits: Limits) -> Int? {
        var ended: Int?
        if entries.count(where: { $0.place == place }) >= limits.maxHandshakesPerAddress {
            ended = endOldest(of: place)
        } else if entries.count >= limits.maxHandshakes {
            let counts = Dictionary(grouping: entries, by: \.place).mapValues(\.count)
            // Of places with as many, that of the oldest handshake.
            let most = counts.values.max() ?? 0
            ended = entries.first { counts[$0.place] == most }.flatMap { endOldest(of: $0.place) }
        }
        entries.append(Entry(number: number, place: place))
        return ended
    }

    package mutating func end(_ number: Int) { entries.removeAll { $0.number == number } }

    private mutating func endOldest(of place: ClientPlace) -> Int? {
        entries.firstIndex { $0.place == place }.map { entries.remove(at: $0).number }
    }

    package var count: Int { entries.count }
}
