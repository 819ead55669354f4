package import AudioTypes

/// A zone: a player with a queue and outputs of its own; MPD's clients call it a partition.
package struct ZoneSettings: Sendable, Hashable {
    package var name: String
    package var outputs: [Output]
    package var session: ZoneSession
    /// How media of the network are read for it.
    package var stream: StreamOptions

    package init(
        name: String,
        outputs: [Output] = [],
        session: ZoneSession = ZoneSession(),
        stream: StreamOptions = StreamOptions()
    ) {
        self.name = name
        self.outputs = outputs
        self.session = session
        self.stream = stream
    }

    /// The zone that is always there.
    package static let defaultName = "default"
}
