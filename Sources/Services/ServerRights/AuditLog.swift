internal import Settings

/// The last changes of rights, and the last requests that were refused for lack of them, for the server's owner.
///
/// A value without a clock. Everything is in the log too, refusals of one client at most once a minute.
package struct AuditLog {
    package enum Kind: String {
        case change
        case refusal
    }

    package struct Entry {
        /// Counted from 1 on since the server's start.
        package fileprivate(set) var number = 0
        /// In seconds since 1970.
        package let time: Double
        package let kind: Kind
        /// The principal whose rights were changed, or that was refused.
        package let client: String
        package let text: String
        /// How often the same was refused in a row.
        package fileprivate(set) var count = 1
    }

    /// The newest is the last.
    package private(set) var entries: [Entry] = []
    /// The number of the newest entry.
    private var number = 0
    private var reported: [String: Double] = [:]

    package init() {}

    package static let capacity = 256
    /// Of a client's refusals in the log, in seconds.
    package static let reportInterval = 60.0
    /// Clients whose last report is remembered.
    package static let mostReported = 1_024

    package mutating func changed(_ client: String, _ text: String, at time: Double) {
        add(Entry(time: time, kind: .change, client: client, text: text))
    }

    /// - Returns: Whether the refusal is to be logged.
    package mutating func refused(_ client: String, _ text: String, at time: Double) -> Bool {
        if let last = entries.last, last.kind == .refusal, last.client == client, last.text == text {
            entries[entries.count - 1].count += 1
        } else {
            add(Entry(time: time, kind: .refusal, client: client, text: text))
        }
        // A clock that was set back makes nothing unreported for long.
        if let last = reported[client], (0..<Self.reportInterval).contains(time - last) { return false }
        if reported.count >= Self.mostReported {
            reported = reported.filter { (0..<Self.reportInterval).contains(time - $0.value) }
            if reported.count >= Self.mostReported { return false }
        }
        reported[client] = time
        return true
    }

    private mutating func add(_ entry: Entry) {
        if entries.count >= Self.capacity { entries.removeFirst(entries.count - Self.capacity + 1) }
        number += 1
        var entry = entry
        entry.number = number
        entries.append(entry)
    }

    /// The last refusal, of a client or of any.
    package func lastRefusal(of client: String?) -> Entry? {
        entries.last { $0.kind == .refusal && (client == nil || $0.client == client) }
    }
}
