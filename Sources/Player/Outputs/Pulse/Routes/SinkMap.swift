/// The sinks of a sound server at one moment, as its monitor saw them.
package struct SinkMap: Sendable, Hashable {
    /// In the server's order.
    package var sinks: [PulseSink] = []
    /// The name of the sink that players without a wish get; `nil` when there is none.
    package var defaultSink: String?
    /// Whether there is a source to record from, other than the sinks' monitors.
    package var hasSource = false

    package init(sinks: [PulseSink] = [], defaultSink: String? = nil) {
        self.sinks = sinks
        self.defaultSink = defaultSink
    }

    package func sink(named name: String) -> PulseSink? { sinks.first { $0.name == name } }

    func sink(at index: UInt32) -> PulseSink? { sinks.first { $0.index == index } }

    /// The map without what changes whenever a program starts or stops to play.
    func withoutStates() -> SinkMap {
        var map = self
        for place in map.sinks.indices { map.sinks[place].state = "unknown" }
        return map
    }
}
