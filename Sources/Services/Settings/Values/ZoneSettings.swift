package import AudioTypes

/// A zone: a player with its own queue and outputs; MPD calls it a partition.
package struct ZoneSettings: Sendable, Hashable {
    package var name: String
    package var outputs: [Output]
    package var session: ZoneSession
    /// The options for its network media.
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

    /// The name of the zone that always exists.
    package static let defaultName = "default"
}
