import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Threads are few, and what cannot have one is refused.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct ThreadLimitTests {
    /// Waits until a condition holds.
    private func eventually(_ condition: () throws -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + .patience
        while try !condition() {
            guard ContinuousClock.now < deadline else { return false }
            try await Task.sleep(for: .milliseconds(20))
        }
        return true
    }

    @Test("Slow searches of clients that leave end with them")
    func clientsThatLeave() async throws {
        let music = try await OwnMusic()
        let title = String(repeating: "a", count: 40) + "!"
        for number in 0..<40 {
            let path = "\(music.path)/slow\(number).flac"
            try music.files.copyItem(atPath: "\(music.path)/one.flac", toPath: path)
            try ChildProcess.run("metaflac", ["--remove-all-tags", "--set-tag=TITLE=\(title)\(number)", path])
        }
        let server = try await Segued.start(music: music.path)
        let client = try server.connect()
        #expect(try await eventually { server.process.threadCount < 20 })
        let before = server.process.threadCount
        for _ in 0..<300 {
            try server.connect().send("find \"(title =~ '(a+)+$')\"\n")
            #expect(server.process.threadCount < before + 10)
        }
        #expect(client.ask("find title Two").contains("file: two.flac"))
        #expect(try await eventually { server.process.threadCount <= before })
        // Nothing of theirs is before it.
        #expect(client.ask("find \"(title =~ 'Tw.')\"").contains("file: two.flac"))
    }

    @Test("A server at its limit of tasks refuses, lives, and goes on when it may")
    func taskLimit() async throws {
        let server = try await Segued.start(user: 61_234)
        let client = try server.connect()
        func limit(_ count: String) throws {
            let user = getuid() == 0 ? ["setpriv", "--reuid=61234", "--regid=61234", "--clear-groups"] : ["env"]
            let command = user + ["prlimit", "--pid", "\(server.process.pid)", "--nproc=\(count)"]
            try ChildProcess.run(command[0], Array(command.dropFirst()))
        }
        // Until threads that wait for more to do have ended.
        var count = server.process.threadCount
        try await Task.sleep(for: .seconds(3))
        count = server.process.threadCount
        try limit("\(count):")
        for line in [
            "lsinfo lists", "find title One", "listplaylists", "albumart one.flac 0", "save mine", "newpartition more",
        ] {
            let answer = client.ask(line).last ?? ""
            #expect(answer.hasPrefix("ACK [52@0]") && answer.contains("cannot start the thread"), "\(line): \(answer)")
        }
        #expect(client.ask("status").last == "OK")
        try limit("1000:")
        #expect(client.ask("newpartition more") == ["OK"])
        #expect(client.ask("partition more") == ["OK"])
        #expect(client.ask("find title One").contains("file: one.flac"))
        // The new zone has no output, and so would pause.
        try client.order("partition default")
        try client.order("add one.flac")
        try client.order("play")
        #expect(try await eventually { try client.values("status")["state"] == "play" })
        #expect(server.process.threadCount > count)
    }
}
