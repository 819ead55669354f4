package import NIOCore

/// The time of the last log line about each limit: one line a minute per limit is enough.
package struct LimitLog {
    private var last: [String?: NIODeadline] = [:]

    package init() {}

    /// Whether to log a limit now; `true` at most once a minute.
    ///
    /// - Parameter limit: `nil` for all limits that refuse new clients.
    package mutating func isDue(_ limit: String?, at now: NIODeadline) -> Bool {
        if let last = last[limit], now - last < .minutes(1) { return false }
        last[limit] = now
        return true
    }
}
