/// A zone: a player with a queue and outputs of its own; MPD's clients call it a partition.
package struct ZoneSettings: Sendable, Hashable {
    package var name: String
    package var outputs: [Output]

    package init(name: String, outputs: [Output] = []) {
        self.name = name
        self.outputs = outputs
    }

    /// The zone that is always there.
    package static let defaultName = "default"
}
