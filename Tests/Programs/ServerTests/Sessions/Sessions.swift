import TestSupport

/// What the tests ask a server about its sessions.
extension LineClient {
    /// Opens a session and sets what it is.
    ///
    /// - Parameter category: As `session category` takes it, without the number.
    func openSession(_ name: String, _ category: String, playing: Bool? = nil) throws -> String {
        let id = try values("session open \(name)")["session"] ?? ""
        try order("session category \(id) \(category)")
        if let playing {
            try order("session activate \(id)")
            try order("session playing \(id) \(playing ? 1 : 0)")
        }
        return id
    }

    func session(_ id: String) throws -> [String: String] { try values("session info \(id)") }

    /// Events after a number, each as its type and what belongs to it, of one session.
    func events(after since: Int = 0, of session: String) throws -> [String] {
        var events: [[String]] = []
        for line in try order("session events \(since)").dropFirst() {
            if line.hasPrefix("event: ") { events.append([]) } else { events[events.count - 1].append(line) }
        }
        return events.filter { $0.contains("session: \(session)") }.map { lines in
            lines.filter { !$0.hasPrefix("time: ") && !$0.hasPrefix("session: ") }
                .map { $0.replacing("type: ", with: "").replacing(": ", with: "=") }.joined(separator: " ")
        }
    }

    /// The number of the newest event.
    func newestEvent() throws -> Int {
        let numbers = try order("session events").compactMap { line in
            line.hasPrefix("event: ") ? Int(line.dropFirst(7)) : nil
        }
        return numbers.last ?? 0
    }

    /// Waits with `idle` until something holds.
    @discardableResult
    func wait<Value>(for subsystem: String, _ look: (LineClient) throws -> Value?) throws -> Value {
        while true {
            if let value = try look(self) { return value }
            try order("idle \(subsystem)")
        }
    }
}
