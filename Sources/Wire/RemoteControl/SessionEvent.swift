/// An entry of segued's log of what happened to audio sessions.
package struct SessionEvent: Sendable, Hashable {
    package var number: Int
    /// As the server writes it: UTC with milliseconds, `2026-11-21T08:15:30.125Z`.
    package var time: String
    /// `nil` for what concerns no session alone.
    package var session: Int?
    package var type: String
    /// Everything else, in the server's order.
    package var details: [Pair]

    /// `nil` when the block is none of an event.
    package init?(_ block: ServerReply) {
        guard let first = block.pairs.first, first.key == "event", let number = Int(first.value),
            let type = block["type"]
        else { return nil }
        self.number = number
        self.type = type
        time = block["time"] ?? ""
        session = block["session"].flatMap { Int($0) }
        details = block.pairs.dropFirst().filter { !["time", "session", "type"].contains($0.key) }
    }

    package subscript(key: String) -> String? { details.first { $0.key == key }?.value }

    /// Whether the owner of a session that was interrupted is to go on by itself.
    package var shouldResume: Bool { self["shouldresume"] == "1" }
}

extension ServerReply {
    /// The events of sessions in this answer.
    package var sessionEvents: [SessionEvent] { groups(startingWith: "event").compactMap(SessionEvent.init) }
}

/// How far a client has read the log of events.
package struct SessionEventCursor: Sendable {
    /// The newest event that was read; `nil` before anything was.
    package private(set) var newest: Int?
    /// How many events were lost, because the server has forgotten them.
    package private(set) var lostCount = 0

    /// Begins behind the event of that number.
    package init(after newest: Int? = nil) { self.newest = newest }

    /// Fetches what has happened since the last time; the first time, all that the server still knows.
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
