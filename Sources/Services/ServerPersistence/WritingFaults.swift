package import Settings
package import StateStore
private import Synchronization

/// Logs why state cannot be written: once for all files that fail for the same reason, and once when all of them can be
/// written again.
package final class WritingFaults: Sendable {
    private let log: @Sendable (LogLevel, String) -> Void
    private let failing = Mutex<[String: StateProblem]>([:])

    package init(_ log: @escaping @Sendable (LogLevel, String) -> Void) { self.log = log }

    /// - Parameters:
    ///   - path: The file whose problem changed.
    ///   - problem: `nil` when the file can be written again.
    package func changed(_ path: String, _ problem: StateProblem?) {
        failing.withLock { failing in
            let isKnown = failing.values.contains { problem != nil && $0.writingFailure == problem?.writingFailure }
            failing[path] = problem
            if let problem {
                if !isKnown || problem.writingFailure == nil { log(.error, "\(problem)") }
            } else if failing.isEmpty {
                log(.notice, "\(path): can be written again")
            }
        }
    }
}
