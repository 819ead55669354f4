/// The behaviour of an output when the sink that it plays to is gone.
package enum LossPolicy: String, Sendable, Hashable, CaseIterable {
    /// The player pauses; nothing is heard anywhere before it is told to play.
    case pause
    /// The output waits in silence for the sink, and goes on at the frame where it stopped.
    case wait
    /// The output plays at the server's default sink, and returns when the sink is back.
    case fallback
}

/// The loss of the sink that an output played to.
package struct RouteLoss: Sendable, Hashable {
    /// The sink's name; empty when there is no sink at all.
    package var sink: String
    /// The change, on one line.
    package var text: String
    /// Whether the player is to pause; else the output waits for the sink.
    package var pauses: Bool
    /// Whether the sink still exists: its connector was unplugged, or the stream was ended.
    package var keepsSink: Bool

    package init(sink: String, text: String, pauses: Bool, keepsSink: Bool = false) {
        self.sink = sink
        self.text = text
        self.pauses = pauses
        self.keepsSink = keepsSink
    }
}

/// Why an output is heard at another sink, with the numbers of AVAudioSession.RouteChangeReason.
package enum RouteChangeReason: Int, Sendable, Hashable, CaseIterable {
    case unknown = 0
    case newDeviceAvailable = 1
    case oldDeviceUnavailable = 2
    case categoryChange = 3
    case override = 4
    case wakeFromSleep = 6
    case noSuitableRouteForCategory = 7
    case routeConfigurationChange = 8

    /// Apple's name.
    package var name: String { String(describing: self) }
}

/// A change of the sink where an output is heard, or of that sink's port or format.
package struct RouteChange: Sendable, Hashable {
    package var reason: RouteChangeReason
    /// The sink's name before; `nil` when there was none yet.
    package var previous: String?
    /// The sink's name now.
    package var sink: String
    /// The sink's own sample format now, in the server's words; empty while it is not known.
    package var format: String

    package init(_ reason: RouteChangeReason, from previous: String?, to sink: String, format: String = "") {
        self.reason = reason
        self.previous = previous
        self.sink = sink
        self.format = format
    }
}
