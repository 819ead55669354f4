/// An entry of segued's event log of audio sessions.
package struct SessionEvent: Sendable, Hashable {
    package let reply: ServerReply
    package var number: Int
    /// In the server's form: UTC with milliseconds, `2026-11-21T08:15:30.125Z`.
    package var time: String
    /// `nil` for an event of no single session.
    package var session: Int?
    package var type: String
    /// All other lines, in the server's order.
    package var details: [Pair]

    /// `nil` when the block is not an event.
    package init?(_ block: ServerReply) {
        guard let first = block.pairs.first, first.key == "event", let number = Int(first.value),
            let type = block["type"]
        else { return nil }
        reply = block
        self.number = number
        self.type = type
        time = block["time"] ?? ""
        session = block["session"].flatMap { Int($0) }
        details = block.pairs.dropFirst().filter { !["time", "session", "type"].contains($0.key) }
    }

    package subscript(key: String) -> String? { details.first { $0.key == key }?.value }

    /// Whether the owner of an interrupted session should resume by itself.
    package var shouldResume: Bool { self["shouldresume"] == "1" }

    /// The same of a recommendation, of which a later one counts.
    package var recommendsToResume: Bool { self["recommendation"] == "shouldResume" }
}

extension ServerReply {
    /// The session events in this reply.
    package var sessionEvents: [SessionEvent] { groups(startingWith: "event").compactMap(SessionEvent.init) }
}

/// A client's position in the event log.
package struct SessionEventCursor: Sendable {
    /// The newest event that was read; `nil` before the first.
    package private(set) var newest: Int?
    /// How many events were missed, because the server no longer has them.
    package private(set) var lostCount = 0

    /// Starts after the event of that number.
    package init(after newest: Int? = nil) { self.newest = newest }

    /// Fetches the events since the last call; the first time, all that the server still has.
    package mutating func fetch(_ connection: RemoteConnection) throws(RemoteError) -> [SessionEvent] {
        let request = Request("session", ["events"] + (newest.map { [String($0)] } ?? []))
        let reply = try connection.run(request)
        let events = reply.sessionEvents
        if let newest, let oldest = reply["oldest"].flatMap({ Int($0) }), oldest > newest + 1 {
            lostCount += oldest - newest - 1
        }
        if let last = events.last { newest = max(newest ?? 0, last.number) } else { newest = newest ?? 0 }
        return events
    }
}
