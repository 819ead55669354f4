import Configuration
import Glibc
import Synchronization
import Verbs

/// Says what happens, on the standard error stream, in one line each.
///
/// To the journal with its level in front, as sd-daemon(3) has it; elsewhere with the time.
final class Log: Sendable {
    private let settings: Mutex<(level: LogLevel, format: LogFormat)>
    private let isJournal: Bool

    init(_ level: LogLevel, _ format: LogFormat) {
        settings = Mutex((level, format))
        isJournal = Self.writesToJournal
    }

    func change(_ level: LogLevel, _ format: LogFormat) { settings.withLock { $0 = (level, format) } }

    func write(_ level: LogLevel, _ text: String) {
        let (least, format) = settings.withLock { $0 }
        guard level.severity >= least.severity else { return }
        for line in text.split(separator: "\n") { writeError(compose(level, String(line), format)) }
    }

    private func compose(_ level: LogLevel, _ line: String, _ format: LogFormat) -> String {
        switch format {
        case .json:
            JSON.object([
                JSON.Field("time", .string(moment())), JSON.Field("level", .string(level.rawValue)),
                JSON.Field("message", .string(line)),
            ]).text
        case .text where isJournal: "<\(level.priority)>\(line)"
        case .text: "\(moment()) \(level.rawValue): \(line)"
        }
    }

    /// Whether the stream that the journal has opened for us is still the one we write to (systemd.exec(5)).
    private static var writesToJournal: Bool {
        var status = stat()
        guard let name = unsafe getenv("JOURNAL_STREAM"), unsafe fstat(STDERR_FILENO, &status) == 0 else {
            return false
        }
        return unsafe String(cString: name) == "\(status.st_dev):\(status.st_ino)"
    }

    /// Now, in UTC, as ISO 8601 has it.
    private func moment() -> String {
        var now = time(nil)
        var parts = unsafe tm()
        unsafe gmtime_r(&now, &parts)
        var text = [CChar](repeating: 0, count: 32)
        unsafe strftime(&text, text.count, "%Y-%m-%dT%H:%M:%SZ", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}

extension LogLevel {
    fileprivate var severity: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// syslog(3)'s.
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
