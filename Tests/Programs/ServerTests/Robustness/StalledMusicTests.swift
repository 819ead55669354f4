import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// A file system that does not answer holds up only requests that need it.
@Suite(
    .blocking,
    .enabled("the fixtures' tools are missing") { Music.missing.isEmpty },
    .enabled(if: StallingFileSystem.missing == nil, "no FUSE: \(StallingFileSystem.missing ?? "")")
)
struct StalledMusicTests {
    /// Longer than any answer takes, on a machine that does much else.
    private static let patience = Duration.seconds(2)

    /// The music, and a cue sheet, on a file system that can be stalled.
    private func stallingMusic() async throws -> (music: OwnMusic, system: StallingFileSystem) {
        let music = try await OwnMusic()
        let sheet = """
            FILE "one.flac" WAVE
              TRACK 01 AUDIO
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                INDEX 01 00:05:00

            """
        try sheet.write(toFile: "\(music.path)/disc.cue", atomically: false, encoding: .utf8)
        return (music, try StallingFileSystem(of: music.path))
    }

    /// Asks what needs no disk, and says how long the slowest answer took.
    private func probe(_ client: LineClient) -> Duration {
        ["ping", "status"].map { request in
            let start = ContinuousClock.now
            #expect(client.ask(request).last == "OK")
            return .now - start
        }
        .reduce(.zero, max)
    }

    @Test("No command of the table holds up other clients while the music does not answer")
    func everyCommand() async throws {
        #expect(StallCommands.forgotten == [])
        let (music, system) = try await stallingMusic()
        let settings = """
            listen = ["unix:%"]
            follow-outside-symlinks = false
            playlist-directory = "%playlists"

            [[output]]
            type = "null"
            name = "null"

            """
        let folder = try TemporaryFolder()
        _ = try folder.makeFolder("playlists")
        let text = settings.replacing("%playlists", with: folder.file("playlists"))
            .replacing("%", with: folder.file("socket"))
        let server = try await Segued.start(.toml(text), in: folder, music: system.path)
        let observer = try server.connect()
        for line in [
            "newpartition spare", "add one.flac", "add \"disc.cue/track0002\"", "add two.flac", "save mine",
            "save other",
        ] { try observer.order(line) }
        let clients = try StallCommands.lines.map { (line: $0, client: try server.connect()) }
        // What was begun until here has ended, and is not counted.
        try await Task.sleep(for: .seconds(3))
        let threads = server.process.threadCount
        // Something that the library does not know.
        try FileManager.default.createDirectory(atPath: "\(music.path)/new", withIntermediateDirectories: false)

        try system.stall()
        var slowest = (line: "", time: Duration.zero)
        for (line, client) in clients {
            client.send(line + "\n")
            let time = probe(observer)
            if time > slowest.time { slowest = (line, time) }
        }
        for _ in 0..<50 { slowest.time = max(slowest.time, probe(observer)) }
        #expect(slowest.time < Self.patience, "after \(slowest.line)")
        system.resume()
        for (line, client) in clients where !line.hasPrefix("idle") {
            let answer = client.reply().last ?? ""
            #expect(answer == "OK" || answer.hasPrefix("ACK"), "\(line): \(answer)")
        }
        try observer.order("stop")
        try await server.waitForUpdates()
        // A partition that was made has a player's thread.
        try wait(for: "threads to end, of \(threads)") { server.process.threadCount <= threads + 2 }
        #expect(server.process.errorText.contains("fatal") == false)
    }

    @Test("A server whose music does not answer starts, answers, and ends")
    func startAndEnd() async throws {
        let (music, system) = try await stallingMusic()
        defer { withExtendedLifetime(music) {} }
        try system.stall()
        let server = try await Segued.start(music: system.path, waitsForLibrary: false)
        let (observer, other) = (try server.connect(), try server.connect())
        #expect(probe(observer) < Self.patience)
        #expect(observer.ask("library status").last == "OK")
        #expect(observer.ask("update").last == "OK")
        other.send("lsinfo\n")
        #expect(probe(observer) < Self.patience)
        let start = ContinuousClock.now
        try await server.stop()
        #expect(.now - start < .seconds(30))
    }

    @Test("What waits for a dead file system leaves the covers and songs of the others alone")
    func otherFileSystems() async throws {
        let (mounted, system) = try await stallingMusic()
        defer { withExtendedLifetime(mounted) {} }
        let music = try await OwnMusic()
        try FileManager.default.createDirectory(atPath: "\(music.path)/nas", withIntermediateDirectories: false)
        try ChildProcess.run("mount", ["--bind", system.path, "\(music.path)/nas"])
        defer { _ = try? ChildProcess.run("umount", ["--lazy", "\(music.path)/nas"]) }
        let server = try await Segued.start(music: music.path)
        #expect(try server.connect().ask("find base nas").contains("file: nas/two.flac"))
        try system.stall()
        let waiting = try (0..<30).map { _ in try server.connect() }
        for (number, client) in waiting.enumerated() {
            client.send(["albumart nas/one.flac 0\n", "readcomments nas/one.flac\n"][number % 2])
        }
        let client = try server.connect()
        #expect(client.ask("readcomments one.flac").last == "OK")
        #expect(client.ask("albumart \"Blue/01 So What.flac\" 0").contains { $0.hasPrefix("size:") })
        #expect(client.ask("lsinfo nas").contains("file: nas/two.flac"), "the library knows it")
        system.resume()
        for client in waiting { #expect(client.reply().last?.hasPrefix("<") == false) }
    }
}
