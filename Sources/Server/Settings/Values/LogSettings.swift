internal import ArgumentParser

/// The least that is logged.
package enum LogLevel: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    case trace
    case debug
    case info
    case notice
    case warning
    case error
    case critical
}

/// How a log line is written.
package enum LogFormat: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    /// For people, and for the journal.
    case text
    /// One JSON object on each line.
    case json
}
