internal import ArgumentParser

/// The lowest severity that is logged.
package enum LogLevel: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    case trace
    case debug
    case info
    case notice
    case warning
    case error
    case critical
}

extension LogLevel: Comparable {
    /// Whether the left one is less urgent.
    package static func < (left: Self, right: Self) -> Bool {
        (allCases.firstIndex(of: left) ?? 0) < (allCases.firstIndex(of: right) ?? 0)
    }
}

/// The format of log lines.
package enum LogFormat: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    /// For people, and for the journal.
    case text
    /// One JSON object on each line.
    case json
}
