import CivilTime
import Glibc
import Logging
import Settings
import Synchronization
import Verbs

/// The log, on standard error, one line per message.
///
/// For the journal with the level in front, as in sd-daemon(3); otherwise with the time.
final class Log: Sendable {
    private let form: Form
    private let logger: Logger

    init(_ level: LogLevel, _ format: LogFormat) {
        let form = Form(level, format)
        self.form = form
        logger = Logger(label: "segued") { _ in StandardErrorHandler(form: form) }
    }

    func change(_ level: LogLevel, _ format: LogFormat) {
        form.settings.withLock { $0 = (Logger.Level(level), format) }
    }

    /// Waits until all lines are written, or for a second.
    func flush() { form.lines.flush(within: 1) }

    func write(_ level: LogLevel, _ text: String) { logger.log(level: Logger.Level(level), "\(text)") }

    /// The settings that may change at run time, for all loggers.
    fileprivate final class Form: Sendable {
        let settings: Mutex<(level: Logger.Level, format: LogFormat)>
        let isJournal = writesToJournal()
        let lines = LineWriter()

        init(_ level: LogLevel, _ format: LogFormat) { settings = Mutex((Logger.Level(level), format)) }
    }
}

/// Writes lines in the configured form.
private struct StandardErrorHandler: LogHandler {
    let form: Log.Form
    var metadata: Logger.Metadata = [:]

    var logLevel: Logger.Level {
        get { form.settings.withLock { $0.level } }
        set { form.settings.withLock { $0.level = newValue } }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let format = form.settings.withLock { $0.format }
        for line in event.message.description.split(separator: "\n") {
            form.lines.write(compose(event.level, String(line), format))
        }
    }

    private func compose(_ level: Logger.Level, _ line: String, _ format: LogFormat) -> String {
        switch format {
        case .json:
            JSON.object([
                JSON.Field("time", .string(timestamp(time(nil)))), JSON.Field("level", .string(level.rawValue)),
                JSON.Field("message", .string(line)),
            ]).text
        case .text where form.isJournal: "<\(level.priority)>\(line)"
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

extension Logger.Level {
    fileprivate init(_ level: LogLevel) {
        self =
            switch level {
            case .trace: .trace
            case .debug: .debug
            case .info: .info
            case .notice: .notice
            case .warning: .warning
            case .error: .error
            case .critical: .critical
            }
    }

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
