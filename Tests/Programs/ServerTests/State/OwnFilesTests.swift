import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// The files that the server makes: who may read them, and that they go with it.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct OwnFilesTests {
    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }

    /// Only the server's account reads its state, also where an earlier version let others in.
    @Test func stateIsPrivate() async throws {
        let server = try await Segued.start()
        try server.connect().order("add one.flac")
        let names = ["library.db", "library.db-wal", "library.db-shm"]
        #expect(try mode(server.stateFolder) == 0o700)
        for name in names { #expect(try mode(server.stateFolder + "/" + name) == 0o600, "\(name)") }
        try await server.stop()
        #expect(try mode(server.stateFolder + "/zones/default.journal") == 0o600)
        unsafe chmod(server.stateFolder + "/library.db", 0o644)
        let again = try await Segued.start(in: server.folder)
        for name in names { #expect(try mode(again.stateFolder + "/" + name) == 0o600, "\(name)") }
    }

    /// A named pipe that the server made goes with it; one that was there stays.
    @Test(arguments: [false, true]) func fifo(isThere: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        if isThere { unsafe try #require(mkfifo(path, 0o666) == 0) }
        let server = try await Segued.start(.options(["--output", "fifo:\(path)"]), in: folder)
        let client = try server.connect()
        try client.order("add one.flac")
        try client.order("play")
        try wait(for: "the FIFO") { unsafe access(path, F_OK) == 0 }
        try await server.stop()
        #expect((unsafe access(path, F_OK) == 0) == isThere)
    }

    /// One that a killed server left is known by the next one, also if that does not write to it; another one in its place
    /// is not.
    @Test(
        .enabled("the file system does not keep when files were made") { MadeTimes.areKept },
        arguments: [Successor.writes, .doesNotWrite, .findsAnother]
    ) func fifoOfAKilledServer(_ successor: Successor) async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("pipe")
        let killed = try await Segued.start(.options(["--output", "fifo:\(path)"]), in: folder)
        let client = try killed.connect()
        for command in ["add one.flac", "play"] { try client.order(command) }
        let known = killed.stateFolder + "/fifos"
        try wait(for: "the FIFO to be recorded") { unsafe access(known, F_OK) == 0 }
        killed.process.kill(SIGKILL)
        _ = try await killed.process.wait()
        try #require(unsafe access(path, F_OK) == 0)
        if successor == .findsAnother { unsafe try #require(unlink(path) == 0 && mkfifo(path, 0o666) == 0) }
        let output = successor == .doesNotWrite ? "null" : "fifo:\(path)"
        let server = try await Segued.start(.options(["--output", output]), in: folder)
        // The queue may have been lost.
        let next = try server.connect()
        for command in ["add one.flac", "play"] { try next.order(command) }
        try next.wait("state", "play")
        try await server.stop()
        #expect((unsafe access(path, F_OK) == 0) == (successor == .findsAnother))
        #expect(unsafe access(known, F_OK) != 0)
    }

    enum Successor { case writes, doesNotWrite, findsAnother }
}

/// Whether the file system of temporary folders tells when a file was made.
private enum MadeTimes {
    static let areKept: Bool = {
        guard let folder = try? TemporaryFolder(), let file = try? folder.write("file", "text") else { return false }
        let born = try? ChildProcess.run("stat", ["--format=%W", file]).outputText
        return born.flatMap { Int($0.trimmingCharacters(in: .whitespacesAndNewlines)) } ?? 0 > 0
    }()
}
