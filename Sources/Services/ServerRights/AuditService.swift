package import NIOCore
package import ServerBasics
package import Settings

/// Keeps the audit log, and notifies the server's owners of new entries.
///
/// Belongs to the server's event loop.
package final class AuditService {
    package private(set) var log = AuditLog() { didSet { changed() } }
    private let loop: any EventLoop
    private let clock: any WallClock
    private let logLine: (LogLevel, String) -> Void
    private unowned let delegate: any AuditDelegate
    /// Whether the owners are about to be notified.
    private var isChanged = false
    private lazy var onLoop = LoopExecutor(for: self, on: loop)

    /// - Parameter log: Writes a line for the person who runs the server.
    package init(
        loop: any EventLoop,
        clock: any WallClock,
        log: @escaping (LogLevel, String) -> Void,
        delegate: any AuditDelegate
    ) {
        self.loop = loop
        self.clock = clock
        logLine = log
        self.delegate = delegate
    }

    /// Records a change of a client's rights.
    package func rightsChanged(of client: String, _ text: String) { log.changed(client, text, at: clock.now) }

    /// Records that a client was refused something for lack of rights.
    package func refused(_ client: String, _ text: String) {
        guard log.refused(client, text, at: clock.now) else { return }
        logLine(.notice, "\(client) was refused: \(text)")
    }

    /// Notifies the owners once, however much was added in this turn of the loop.
    private func changed() {
        guard !isChanged else { return }
        isChanged = true
        onLoop {
            $0.isChanged = false
            $0.delegate.auditChanged()
        }
    }
}

/// Receives the events of the audit log.
package protocol AuditDelegate: AnyObject {
    /// Entries were added.
    func auditChanged()
}
