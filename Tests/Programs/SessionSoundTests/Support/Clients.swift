import Glibc
import TestSupport
import Testing

/// What the tests tell and ask a server.
extension LineClient {
    /// Plays a song of its zone's queue, which is that song alone.
    func play(_ song: String) throws {
        for command in ["clear", "add \(song)", "play"] { try order(command) }
    }

    /// - Returns: The announcement's number.
    func announce(_ words: String) throws -> String { try values("announce \(words)")["announcement"] ?? "" }

    func begin(_ words: String) throws -> String { try values("session interrupt begin \(words)")["session"] ?? "" }

    /// Waits for the end of an announcement.
    ///
    /// - Returns: What became of it, and when that was told.
    @discardableResult
    func end(of announcement: String) throws -> (state: String, time: ContinuousClock.Instant) {
        while true {
            let report = try values("announcement info \(announcement)")
            let state = report["state"] ?? ""
            if !["queued", "playing"].contains(state) { return (state, .now) }
            try order("idle announcement")
        }
    }

    /// What a zone's session is now; the default zone's is the first of all.
    func zoneSession(_ name: String = "default") throws -> [String: String] {
        try blocks("session list", startingWith: "session").first { $0["kind"] == "zone" && $0["name"] == name } ?? [:]
    }

    /// The entries of the event log.
    func events() throws -> [[String: String]] { try blocks("session events", startingWith: "event") }

    /// The blocks of a reply, of which each begins with the same key.
    func blocks(_ command: String, startingWith key: String) throws -> [[String: String]] {
        var blocks: [[String: String]] = []
        for line in try order(command) {
            let parts = line.split(separator: ": ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            if parts[0] == key { blocks.append([:]) }
            guard !blocks.isEmpty else { continue }
            blocks[blocks.count - 1][parts[0]] = parts.count > 1 ? parts[1] : ""
        }
        return blocks
    }

    /// Opens a session, sets what it is, and has it be heard.
    func openSession(_ name: String, _ category: String) throws -> String {
        let id = try values("session open \(name)")["session"] ?? ""
        for command in ["session category \(id) \(category)", "session activate \(id)", "session playing \(id) 1"] {
            try order(command)
        }
        return id
    }

    /// Seconds of the song that have been heard.
    func elapsed() throws -> Double { try values("status")["elapsed"].flatMap { Double($0) } ?? 0 }

    /// Waits for what no event tells of.
    func wait(_ location: SourceLocation = #_sourceLocation, until condition: () throws -> Bool) throws {
        let deadline = ContinuousClock.now + .patience
        while !(try condition()) {
            guard ContinuousClock.now < deadline else {
                throw ClientError(description: "what line \(location.line) waits for did not come: \(ask("status"))")
            }
            usleep(2000)
        }
    }
}
