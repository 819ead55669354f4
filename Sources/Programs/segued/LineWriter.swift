import AudioTypes
import Files
import Glibc
import Synchronization
import Threads

/// Writes lines to standard error without blocking the caller.
///
/// A line is written directly if the stream accepts it at once. Otherwise it is queued, up to a limit, for a thread
/// (*segue-log*) that may block; lines beyond the limit are dropped, and their number is logged.
final class LineWriter: Sendable {
    private struct State {
        var waiting: [String] = []
        /// The total size of the waiting lines.
        var byteCount = 0
        var leftOut = 0
        var hasThread = false
        /// Whether the thread is writing.
        var isWriting = false
    }

    private let state = Mutex(State())
    private let bell = Doorbell()
    private let settled = Doorbell()
    /// Whether poll(2) can tell that the stream accepts a line at once, which it cannot for a file on a disk.
    private let canBeAsked: Bool

    /// Limit of the waiting lines, in bytes.
    static let mostBytes = 256 * 1024

    init() {
        var status = stat()
        canBeAsked = unsafe fstat(STDERR_FILENO, &status) == 0 && status.st_mode & S_IFMT != S_IFREG
    }

    func write(_ line: String) {
        let needsThread = state.withLock { state in
            if state.waiting.isEmpty, !state.isWriting, takesAtOnce(line) {
                writeError(line)
                return false
            }
            guard state.byteCount + line.utf8.count <= Self.mostBytes else {
                state.leftOut += 1
                return false
            }
            state.waiting.append(line)
            state.byteCount += line.utf8.count
            defer { state.hasThread = true }
            return !state.hasThread
        }
        if needsThread { WorkThread.startWhenPossible(named: "segue-log") { self.run() } }
        bell.ring()
    }

    /// Waits until all lines are written, or until the time limit in seconds.
    func flush(within limit: Double) {
        let deadline = HostTime.now + limit
        while state.withLock({ !$0.waiting.isEmpty || $0.isWriting }), HostTime.now < deadline {
            settled.wait(until: deadline)
        }
    }

    /// A writable pipe or socket has room for as much as a pipe accepts atomically.
    private func takesAtOnce(_ line: String) -> Bool {
        guard canBeAsked, line.utf8.count < PIPE_BUF else { return false }
        return Readiness.writable(STDERR_FILENO).wait(until: .now)
    }

    private func run() {
        while true {
            let lines = state.withLock { state in
                var lines = state.waiting
                if state.leftOut > 0 { lines.append("\(state.leftOut) lines were left out: the reader is too slow") }
                state.isWriting = !lines.isEmpty
                (state.waiting, state.byteCount, state.leftOut) = ([], 0, 0)
                return lines
            }
            for line in lines { writeError(line) }
            if lines.isEmpty {
                settled.ring()
                bell.wait()
            }
        }
    }
}
