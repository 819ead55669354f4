import CivilTime
import CommandOptions
import Glibc
import Settings
import Synchronization
import TextEncodings

/// The log, on standard error, one line per message.
///
/// For the journal with the level in front, as in sd-daemon(3); otherwise with the time.
final class Log: Sendable {
    private let settings: Mutex<(level: LogLevel, format: LogFormat)>
    private let isJournal = writesToJournal()
    private let lines = LineWriter()

    init(_ level: LogLevel, _ format: LogFormat) { settings = Mutex((level, format)) }

    func change(_ level: LogLevel, _ format: LogFormat) { settings.withLock { $0 = (level, format) } }

    /// Waits until all lines are written, or for a second.
    func flush() { lines.flush(within: 1) }

    func write(_ level: LogLevel, _ text: String) {
        let (leastLevel, format) = settings.withLock { $0 }
        guard level >= leastLevel else { return }
        for line in text.split(separator: "\n") { lines.write(compose(level, String(line), format)) }
    }

    private func compose(_ level: LogLevel, _ line: String, _ format: LogFormat) -> String {
        switch format {
        case .json:
            JSON.object([
                JSON.Field("time", .string(timestamp(time(nil)))), JSON.Field("level", .string(level.rawValue)),
                JSON.Field("message", .string(line)),
            ]).text
        case .text where isJournal: "<\(level.priority)>\(line)"
        case .text: "\(timestamp(time(nil))) \(level.rawValue): \(line)"
        }
    }
}

/// Whether standard error is still the stream that the journal opened for us (systemd.exec(5)).
private func writesToJournal() -> Bool {
    var status = stat()
    guard let name = unsafe getenv("JOURNAL_STREAM"), unsafe fstat(STDERR_FILENO, &status) == 0 else { return false }
    return unsafe String(cString: name) == "\(status.st_dev):\(status.st_ino)"
}

extension LogLevel {
    /// The priority of syslog(3).
    fileprivate var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
