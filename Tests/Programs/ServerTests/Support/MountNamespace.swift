import Foundation
import Glibc
import TestSupport

/// A view of the file system that a server has to itself, in which a test may mount; all of it goes with the server.
struct MountNamespace {
    let server: Segued

    /// unshare(1)'s and nsenter(1)'s.
    static let options = ["--mount"] + (getuid() == 0 ? [] : ["--user", "--map-root-user"])

    /// Whether this system lets a test have one.
    static let isAllowed =
        (try? ChildProcess.run("unshare", options + ["mount", "-t", "tmpfs", "none", "/mnt"])) != nil

    /// A path as the server sees it.
    func path(_ path: String) -> String { "/proc/\(server.process.pid)/root\(path)" }

    func run(_ command: String) throws {
        let user = getuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        try ChildProcess.run(
            "nsenter",
            ["--target", "\(server.process.pid)", "--mount"] + user + ["sh", "-c", command]
        )
    }
}
