import Foundation
private import Glibc

/// A message bus of the test's own, which ends with this object.
package final class MessageBus: Sendable {
    package static let missing = ChildProcess.missing("dbus-daemon")

    private let folder: TemporaryFolder
    private let process: ChildProcess

    /// - Parameter folder: Where its socket is; `nil`: in a folder of its own.
    package init(in folder: TemporaryFolder? = nil) async throws {
        let folder = try folder ?? TemporaryFolder()
        process = try ChildProcess("dbus-daemon", Self.arguments(at: folder.file("bus")))
        self.folder = folder
        try await waitForSocket(folder.file("bus"), of: process)
    }

    /// The program, for one that is started and ended by the test itself.
    package static func arguments(at path: String) -> [String] {
        ["--session", "--nofork", "--nopidfile", "--address=unix:path=\(path)"]
    }

    deinit { process.end() }

    package var address: String { Self.address(in: folder) }

    /// Variables that have programs use the bus.
    package var environment: [String: String] { Self.environment(in: folder) }

    /// The same for a bus that is started later.
    package static func environment(in folder: TemporaryFolder) -> [String: String] {
        ["DBUS_SESSION_BUS_ADDRESS": address(in: folder), "DBUS_SYSTEM_BUS_ADDRESS": address(in: folder)]
    }

    private static func address(in folder: TemporaryFolder) -> String { "unix:path=\(folder.file("bus"))" }
}
