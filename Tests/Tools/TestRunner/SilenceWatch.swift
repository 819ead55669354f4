import Glibc
import Synchronization
import TestSupport

/// Kills a program that has written nothing for too long, such as one whose last test waits for an event that never comes.
///
/// Silence is counted in steps, so that a machine that stands still for a while adds one step and not all of that time.
final class SilenceWatch: Sendable {
    private struct State {
        var silentSteps = 0
        var hasKilled = false
    }

    private static let steps = 10

    private let limit: Duration
    private let state = Mutex(State())

    init(limit: Duration) { self.limit = limit }

    /// Whether the program was killed.
    var hasKilled: Bool { state.withLock(\.hasKilled) }

    /// Records that the program has written something.
    func hear() { state.withLock { $0.silentSteps = 0 } }

    /// Watches until it has killed the program, or until its task is cancelled.
    func watch(_ process: ChildProcess) async throws {
        while !hasKilled {
            try await Task.sleep(for: limit / Self.steps)
            state.withLock { state in
                state.silentSteps += 1
                guard state.silentSteps > Self.steps else { return }
                state.hasKilled = true
                process.kill(SIGKILL)
            }
        }
    }
}
