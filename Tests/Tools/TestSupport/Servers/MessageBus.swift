import Foundation
private import Glibc

/// A message bus of the test's own, which ends with this object.
package final class MessageBus: Sendable {
    package static let missing = ChildProcess.missing("dbus-daemon")

    private let folder: TemporaryFolder
    private let process: ChildProcess

    package init() async throws {
        let folder = try TemporaryFolder()
        process = try ChildProcess("dbus-daemon", Self.arguments(at: folder.file("bus")))
        self.folder = folder
        try await waitForSocket(folder.file("bus"), of: process)
    }

    /// The program, for one that is started and ended by the test itself.
    package static func arguments(at path: String) -> [String] {
        ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(path)"]
    }

    deinit { process.end() }

    package var address: String { "unix:path=\(folder.file("bus"))" }

    /// Variables that have programs use the bus.
    package var environment: [String: String] {
        ["DBUS_SESSION_BUS_ADDRESS": address, "DBUS_SYSTEM_BUS_ADDRESS": address]
    }
}
