import Foundation
import Glibc
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// The sleep timer in the real server.
@Suite(.blocking)
struct SleepTimerTests {
    private let place: Place

    init() throws { place = try Place() }

    private func playing(_ daemon: Segued) throws -> RemoteConnection {
        let remote = try daemon.connect()
        try remote.run("add", "")
        try remote.run("play")
        _ = try remote.wait { $0.state == .playing && $0.elapsed ?? 0 > 0.1 }
        return remote
    }

    @Test func itPausesAfterATimeAndKeepsTheVolume() throws {
        let daemon = try Segued.start(in: place)
        let remote = try playing(daemon)
        try remote.run("setvol", "70")
        try remote.run("sleep", "3")
        #expect(["3", "2", "1"].contains(ServerStatus(try remote.run("status")).sleep))
        #expect(try remote.run("why").values("cause").contains { $0.contains("fading out for the sleep timer") })
        try remote.beginIdle(["timer"])
        #expect(try remote.endIdle() == ["timer"])
        let status = try remote.wait { $0.state == .paused }
        #expect(status.sleep == nil && status.volume == 70)
        #expect(try remote.run("why")["cause"] == "paused by the sleep timer")
    }

    @Test func itCanBeTakenBack() throws {
        let daemon = try Segued.start(in: place)
        let remote = try playing(daemon)
        try remote.run("sleep", "1h30m")
        #expect(try remote.run("sleep")["sleep"] == "5400")
        try remote.run("sleep", "off")
        #expect(try remote.run("sleep").pairs.isEmpty)
        #expect(ServerStatus(try remote.run("status")).state == .playing)
    }

    /// The next song is there, paused at its start.
    @Test func itPausesAfterTheSong() throws {
        let daemon = try Segued.start(in: place)
        let remote = try playing(daemon)
        try remote.run("repeat", "1")
        try remote.run("sleep", "endofsong")
        try remote.run("seekcur", "19.5")
        let status = try remote.wait { $0.state == .paused }
        #expect(status.position == 1 && status.elapsed == 0 && status.sleep == nil)
    }

    @Test(arguments: ["chapter", "0", "-5", "x", "25h", "endofsongs"])
    func whatCannotBeIsRefused(word: String) throws {
        let daemon = try Segued.start(in: place)
        let remote = try playing(daemon)
        #expect(throws: RemoteError.self) { try remote.run("sleep", word) }
        #expect(try remote.run("sleep").pairs.isEmpty)
    }

    /// A timer outlives the server, and counts meanwhile.
    @Test func itOutlivesAKilledServer() async throws {
        do {
            let daemon = try Segued.start(in: place)
            try playing(daemon).run("sleep", "1h")
            try TestSupport.wait(for: "the journal") {
                (try? String(contentsOfFile: place.folder.file("state/timers.journal"), encoding: .utf8))?
                    .contains("sleep default") == true
            }
            daemon.process.kill(SIGKILL)
            _ = try await daemon.process.wait(within: .patience)
        }
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        let left = try #require(try remote.run("sleep")["sleep"].flatMap { Int($0) })
        #expect((3_000...3_600).contains(left))
        try remote.run("sleep", "off")
        #expect(try await daemon.terminate().status == .code(0))
        let third = try Segued.start(in: place)
        #expect(try third.connect().run("sleep").pairs.isEmpty)
    }
}
