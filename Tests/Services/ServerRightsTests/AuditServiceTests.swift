import NIOCore
import ServerBasics
import ServiceTestSupport
import Settings
import Testing

@testable import ServerRights

/// Entries of the audit log, and who learns of them.
@Suite actor AuditServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Owners: AuditDelegate {
        var notifications = 0

        func auditChanged() { notifications += 1 }
    }

    @Test func ownersAreNotifiedOnceATurn() {
        let (loop, owners) = (TestLoop(), Owners())
        var lines: [String] = []
        let audit = AuditService(
            loop: loop,
            clock: loop.clock,
            log: { lines.append("\($0.rawValue) \($1)") },
            delegate: owners
        )
        audit.rightsChanged(of: "uid 1000", "uid 0 set the grants")
        audit.refused("uid 1000", "you don't have permission for \"kill\"")
        audit.refused("uid 1000", "you don't have permission for \"kill\"")
        #expect(audit.log.entries.map(\.count) == [1, 2])
        #expect(lines == ["notice uid 1000 was refused: you don't have permission for \"kill\""])
        #expect(owners.notifications == 0)
        loop.runReady()
        #expect(owners.notifications == 1)
        audit.refused("uid 1001", "you don't have permission for \"config\"")
        loop.runReady()
        #expect(owners.notifications == 2 && lines.count == 2)
    }
}
