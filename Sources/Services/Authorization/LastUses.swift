private import AudioTypes

/// When clients were last used, in whole seconds since 1970, and which of it is not written down yet.
package struct LastUses: Sendable {
    private var times: [PrincipalID: Int] = [:]
    private var unwritten: Set<PrincipalID> = []

    package init() {}

    package subscript(id: PrincipalID) -> Int? { times[id] }

    /// Records a use; one that is earlier than the last one changes nothing, unless the clock has been set back since.
    package mutating func record(_ id: PrincipalID, at time: Double, now: Double) {
        let (seconds, now) = (Int(saturating: time), Int(saturating: now))
        if let last = times[id], last >= seconds, last <= now { return }
        times[id] = seconds
        unwritten.insert(id)
    }

    /// - Returns: The line that keeps the change; `nil` for a client of which no use is known.
    package mutating func forget(_ id: PrincipalID) -> [String]? {
        unwritten.remove(id)
        return times.removeValue(forKey: id) == nil ? nil : ["unused", id.description]
    }

    /// The lines that keep what was noted since the last call.
    package mutating func takeUnwritten() -> [[String]] {
        defer { unwritten = [] }
        return unwritten.sorted().compactMap(line)
    }

    /// All as lines for a journal.
    package var lines: [[String]] { times.keys.sorted().compactMap(line) }

    private func line(_ id: PrincipalID) -> [String]? { times[id].map { ["used", id.description, "\($0)"] } }

    /// The verbs of its lines.
    package static let verbs: Set = ["used", "unused"]

    /// Applies a line of a journal.
    ///
    /// - Returns: Whether it was understood.
    package mutating func apply(_ line: [String]) -> Bool {
        guard line.count >= 2, let id = PrincipalID(line[1]) else { return false }
        switch (line[0], line.count) {
        case ("used", 3):
            guard let seconds = Int(line[2]), (0...100_000_000_000).contains(seconds) else { return false }
            times[id] = seconds
        case ("unused", 2): times[id] = nil
        default: return false
        }
        return true
    }
}
