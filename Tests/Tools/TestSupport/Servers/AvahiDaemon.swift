import Foundation
private import Glibc

/// A machine on a test's own network with a message bus and avahi-daemon, both of the test's own.
package final class AvahiDaemon: Sendable {
    package static let missing = ChildProcess.missing("avahi-daemon", "dbus-daemon", "ip", "nsenter", "unshare")

    package let network: NetworkNamespace
    package let bus: MessageBus
    private let folder: TemporaryFolder
    private let process: Watched<ChildProcess?>

    /// - Parameter name: The machine's, without `.local`.
    package init(_ name: String, in network: NetworkNamespace) async throws {
        self.network = network
        bus = try await MessageBus()
        folder = try TemporaryFolder()
        process = Watched(nil)
        try folder.write(
            "avahi.conf",
            """
            [server]
            host-name=\(name)
            allow-interfaces=lan0
            [wide-area]
            enable-wide-area=no
            [publish]
            publish-workstation=no
            """
        )
        try start()
    }

    deinit { stop() }

    /// Starts it, and waits until it has its name.
    package func start() throws {
        // Its process file has a fixed place.
        let script = "mkdir -p /run/avahi-daemon && mount -t tmpfs none /run/avahi-daemon && exec \"$@\""
        let words = network.command(
            ["unshare", "--mount", "sh", "-c", script, "sh", "avahi-daemon", "--no-drop-root", "--no-chroot"]
                + ["--no-rlimits", "--file=\(folder.file("avahi.conf"))"]
        )
        let environment = ProcessInfo.processInfo.environment.merging(bus.environment) { $1 }
        let started = try ChildProcess(words[0], Array(words.dropFirst()), environment: environment)
        process.withLock { $0 = started }
        let end = ContinuousClock.now + .patience
        while !started.errorText.contains("Server startup complete") {
            guard started.isRunning, ContinuousClock.now < end else {
                throw ChildProcessError.deadline("avahi-daemon", output: started.errorText)
            }
            usleep(10_000)
        }
    }

    /// Ends it as a service manager does, so that it takes leave.
    package func stop() {
        process.current?.kill(SIGTERM)
        _ = try? process.current?.waitBlocking()
    }

    package var log: String { process.current?.errorText ?? "" }
}
