import Glibc
import StateStore
import Synchronization

/// Writes state until it is killed, or meets a limit: `state-writer append|limit|watch|lock PATH [BYTES]`.
@main
struct Main {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch arguments[1] {
        case "append":
            var writer = Writer(arguments[2])
            writer.run()
        case "limit": try limit(arguments[2], bytes: UInt(arguments[3]) ?? 0)
        case "watch": watch(arguments[2])
        default: try lock(arguments[2])
        }
    }

    /// Until files may be longer again, writing fails.
    private static func limit(_ path: String, bytes: UInt) throws {
        signal(SIGXFSZ, SIG_IGN)
        setLimit(bytes)
        var settings = Journal.Settings()
        settings.onProblem = { say($0.map { "problem: \($0)" } ?? "well") }
        let journal = Journal.open(path: path, on: DiskThread(), settings: settings) { _ in }.journal
        for number in 1...100 { journal.append([Record("n", "\(number)")]) }
        say("flushed: \(journal.flush())")
        for number in 101...200 { journal.append([Record("n", "\(number)")]) }
        say("flushed: \(journal.flush())")
        let problems = Journal.open(path: path, on: DiskThread()) { _ in }.problems
        say("after a kill now: \(problems)")
        setLimit(.max)
        say("flushed: \(journal.flush())")
    }

    private static func setLimit(_ bytes: UInt) {
        var limit = rlimit(rlim_cur: rlim_t(bytes), rlim_max: rlim_t.max)
        unsafe setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }

    /// One record, and what is said of writing it.
    private static func watch(_ path: String) {
        var settings = Journal.Settings()
        settings.delay = 0
        settings.onProblem = { say($0.map { "problem: \($0)" } ?? "well") }
        let thread = DiskThread()
        let journal = Journal.open(path: path, on: thread, settings: settings) { _ in }.journal
        journal.append([Record("n", "1")])
        while readLine() != nil { say(thread.isIdle ? "idle" : "busy") }
        say("flushed: \(journal.flush())")
    }

    private static func lock(_ folder: String) throws {
        let lock = try StateLock.acquire(folder: folder)
        say("locked")
        while readLine() != nil {}
        _ = consume lock
    }
}

/// Counts; what is alive are the last hundred numbers.
private struct Writer: ~Copyable {
    private let journal: Journal
    private let largeness = Largeness()
    private var last = 0

    init(_ path: String) {
        var settings = Journal.Settings()
        settings.delay = 0.001
        settings.smallest = 8192
        settings.onLarge = { [largeness] in largeness.isReached.store(true, ordering: .relaxed) }
        var last = 0
        journal =
            Journal.open(path: path, on: DiskThread(), settings: settings) { record in
                last = record.arguments.first.flatMap { Int($0) } ?? last
            }.journal
        self.last = last
    }

    mutating func run() {
        while last < .max {
            journal.append([Self.record(last + 1), Self.record(last + 2)])
            last += 2
            if largeness.isReached.exchange(false, ordering: .relaxed) {
                journal.compact((max(1, last - 99)...last).map(Self.record))
            }
            if last % 20 < 2, journal.flush() { say("flushed \(last)") }
        }
    }

    private static func record(_ number: Int) -> Record { Record("n", "\(number)", "some \"text\"") }
}

private final class Largeness: Sendable {
    let isReached = Atomic(false)
}

/// At once: what is said just before the process is killed counts.
private func say(_ text: String) {
    let bytes = Array("\(text)\n".utf8)
    unsafe _ = write(STDOUT_FILENO, bytes, bytes.count)
}
