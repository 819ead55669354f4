import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// The server works in what the unit of the system service leaves it: a file system that is read-only but for its own
/// folders, no capabilities, and no new privileges.
///
/// System call filters and `MemoryDenyWriteExecute` are not among it: they are systemd's to set up.
@Suite(
    .blocking,
    .enabled("the fixtures' tools or setpriv are missing, or nothing may be mounted") {
        (Music.missing + ChildProcess.missing("setpriv")).isEmpty && MountNamespace.isAllowed
    }
)
struct SandboxTests {
    @Test func works() async throws {
        let folder = try TemporaryFolder()
        let sandbox = """
            mount --bind '\(folder.path)' '\(folder.path)' && mount -o remount,bind,ro / &&
            set -- setpriv --no-new-privs --inh-caps=-all --bounding-set=-all "$@"
            """.replacing("\n", with: " ")
        let server = try await Segued.start(in: folder, mounting: sandbox)
        let status = try String(contentsOfFile: "/proc/\(server.process.pid)/status", encoding: .utf8)
        #expect(status.contains("NoNewPrivs:\t1") && status.contains("CapEff:\t0000000000000000"))
        let client = try server.connect()
        #expect(try Int(client.values("stats")["songs"] ?? "") ?? 0 > 0)
        for command in ["add one.flac", "repeat 1", "play"] { try client.order(command) }
        try client.wait("audio", "44100:16:2")
        let id = try client.values("announce one.flac")["announcement"] ?? ""
        try client.wait(for: "announcement") { client in
            let state = try client.values("announcement info \(id)")["state"] ?? ""
            return ["playing", "done"].contains(state) ? state : nil
        }
        try client.order("announcement cancel all")
        try client.order("pause 1")
        try await server.stop()
        #expect(!server.process.errorText.contains("cannot"), "\(server.process.errorText)")
        let again = try await Segued.start(in: folder)
        #expect(try again.connect().values("status")["state"] == "pause")
    }
}
