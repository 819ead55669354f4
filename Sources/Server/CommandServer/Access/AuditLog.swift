internal import Settings

/// What was changed about rights, and what was refused for lack of them: the last of it, for the server's owner.
///
/// A value without a clock. Everything is in the log too, refusals of one client at most once a minute.
struct AuditLog {
    enum Kind: String {
        case change
        case refusal
    }

    struct Entry {
        /// Counted from 1 on since the server's start.
        fileprivate(set) var number = 0
        /// In seconds since 1970.
        let time: Double
        let kind: Kind
        /// Whose rights were changed, or who was refused.
        let client: String
        let text: String
        /// How often the same was refused in a row.
        fileprivate(set) var count = 1
    }

    /// The newest is the last.
    private(set) var entries: [Entry] = []
    /// The number of the newest entry.
    private var number = 0
    private var reported: [String: Double] = [:]

    static let capacity = 256
    /// Of a client's refusals in the log, in seconds.
    static let reportInterval = 60.0
    /// Clients whose last report is remembered.
    static let mostReported = 1_024

    mutating func changed(_ client: String, _ text: String, at time: Double) {
        add(Entry(time: time, kind: .change, client: client, text: text))
    }

    /// - Returns: Whether the refusal is to be logged.
    mutating func refused(_ client: String, _ text: String, at time: Double) -> Bool {
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
    func lastRefusal(of client: String?) -> Entry? {
        entries.last { $0.kind == .refusal && (client == nil || $0.client == client) }
    }
}
