import AudioTypes
import Foundation
import Outputs
import Playback
import TestSupport
import Testing

/// Several items of a network, some of which do not come.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct StreamQueueTests {
    private static let second = 24_000

    private static func song(_ seconds: Int) async throws -> String {
        try await MediaFixtures.stream(seconds: seconds)
    }

    /// The server of the next item accepts and says nothing.
    @Test func theItemBeforePlaysOutAndThenThePlayerWaits() async throws {
        let silent = try HostileServer.silent()
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(try await Self.song(2)), MediaEntry(silent.url("next.mp3"))])
        await stage.player.play()
        try await stage.log.waitForItem(2)
        #expect(stage.log.words.contains("ended 1"))
        #expect(!stage.log.words.contains("stalled 1"))
        try await stage.log.waitForStatus("waiting") {
            $0.currentItem?.id.number == 2
                && $0.timeControlStatus == .waitingToPlayAtSpecifiedRate(.evaluatingBufferingRate)
        }
        #expect(stage.player.currentTime() == .zero)
        #expect(stage.player.status.effectiveRate == 0)
        // Leaving it takes no time; a silent server is given many seconds.
        let start = ContinuousClock.now
        await stage.player.jump(to: 0)
        try await stage.log.waitForStatus("playing", after: stage.log.count) { $0.timeControlStatus == .playing }
        #expect(ContinuousClock.now - start < .seconds(5))
        await stage.player.close()
    }

    @Test(arguments: ["close", "stop", "advance"])
    func noOrderWaitsForASilentServer(_ order: String) async throws {
        let silent = try HostileServer.silent()
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(silent.url("a.mp3"))])
        await stage.player.play()
        guard await silent.state.wait(within: deadline, until: { $0.requests.count > 0 }) else {
            throw Missing("a request")
        }
        let start = ContinuousClock.now
        switch order {
        case "close": await stage.player.close()
        case "stop": await stage.player.stop()
        default:
            await stage.player.advanceToNextItem()
            try await stage.log.waitForEnd()
        }
        guard await silent.state.wait(within: deadline, until: { $0.open == 0 }) else {
            throw Missing("the connection's end")
        }
        #expect(ContinuousClock.now - start < .seconds(5))
        await stage.player.close()
    }

    /// A program that is started meanwhile would keep the connection.
    @Test func connectionsAreNotPassedOn() async throws {
        let silent = try HostileServer.silent()
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(silent.url("a.mp3"))])
        await stage.player.play()
        guard await silent.state.wait(within: deadline, until: { $0.requests.count > 0 }) else {
            throw Missing("a request")
        }
        let connections = (0..<1_024).filter { Self.peerPort(of: Int32($0)) == silent.port }
        #expect(!connections.isEmpty)
        #expect(connections.allSatisfy { fcntl(Int32($0), F_GETFD) & FD_CLOEXEC != 0 })
        await stage.player.close()
    }

    private static func peerPort(of descriptor: Int32) -> UInt16? {
        var address = sockaddr_in()
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe getpeername(descriptor, $0, &length)
            }
        }
        guard code == 0, address.sin_family == AF_INET else { return nil }
        return UInt16(bigEndian: address.sin_port)
    }

    /// What follows changes while the item that was to follow is still waited for.
    @Test func whatFollowsChangesWhileItIsOpened() async throws {
        let silent = try HostileServer.silent()
        let (first, other) = (try await Self.song(4), try await Self.song(1))
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(first), MediaEntry(silent.url("next.mp3"))])
        await stage.player.play()
        guard await silent.state.wait(within: deadline, until: { $0.requests.count > 0 }) else {
            throw Missing("a request")
        }
        await stage.player.replaceFollowingItems(with: [MediaEntry(other)])
        let start = ContinuousClock.now
        try await stage.log.waitForEnd()
        // Without a wait between the two.
        #expect(ContinuousClock.now - start < .seconds(10))
        #expect(stage.log.words.filter { $0.hasPrefix("ended") } == ["ended 1", "ended 3"])
        await stage.player.close()
    }

    /// A server that has gone for good.
    @Test func anItemThatBreaksOffIsFollowedByTheNext() async throws {
        var configuration = PlayerConfiguration()
        configuration.stream.reconnectLimit = 0.5
        let server = try PacedServer(try await Self.song(10), limit: 5 * Self.second)
        let stage = await ClockStage(configuration: configuration)
        await stage.player.append([MediaEntry(server.url), MediaEntry(try await Self.song(1))])
        await stage.player.play()
        try await stage.log.waitForStatus("playing") { $0.timeControlStatus == .playing }
        server.state.withLock {
            $0.refusal = "503 Service Unavailable"
            $0.cuts = true
        }
        try await stage.log.wait("the connection's loss") {
            if case .streamChanged(let status) = $0, case .reconnecting = status.connection { true } else { false }
        }
        let event = try await stage.log.wait("a failure") { if case .failedToPlayToEnd = $0 { true } else { false } }
        guard case .failedToPlayToEnd(let item, let text) = event else { return }
        #expect(item.id.number == 1)
        #expect(text.contains(server.url), "\(text)")
        try await stage.log.waitForEnd()
        let words = stage.log.words
        #expect(words.filter { $0.hasPrefix("ended") || $0.hasPrefix("broken") } == ["broken 1", "ended 2"])
        let errors = await stage.player.errorLog(of: item.id).events
        #expect(errors.last?.failure.isFinal == true, "\(errors)")
        #expect(errors.contains { $0.failure.statusCode == 503 }, "\(errors)")
        await stage.player.close()
    }

    @Test func anItemThatIsNotThereIsSkipped() async throws {
        let server = try HostileServer { $0.answer("404 Not Found", "text/plain") }
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url("a.mp3")), MediaEntry(try await Self.song(1))])
        await stage.player.play()
        try await stage.log.waitForEnd()
        #expect(stage.log.words.filter { $0.hasPrefix("failed") || $0.hasPrefix("ended") } == ["failed 1", "ended 2"])
        let id = try #require(await stage.player.items.first?.id)
        let failures = await stage.player.errorLog(of: id).events.map(\.failure)
        #expect(failures.count == 1)
        #expect(failures.first?.statusCode == 404 && failures.first?.isFinal == true, "\(failures)")
        await stage.player.close()
    }

    /// Two songs of a network follow each other without a stall.
    @Test func networkItemsFollowEachOther() async throws {
        let server = try PacedServer(try await Self.song(2))
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url), MediaEntry(server.url)])
        await stage.player.play()
        try await stage.log.waitForEnd()
        let words = stage.log.words.filter { $0 != "jumped" }
        #expect(
            words == ["current 1", "ready 1", "ended 1", "current 2", "ended 2", "current 0", "queue ended"]
        )
        await stage.player.close()
    }

    /// Seeking does not open what is open already.
    @Test func seeksKeepTheConnection() async throws {
        let server = try PacedServer(try await Self.song(20))
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url)])
        await stage.player.play()
        try await stage.log.waitForStatus("playing") { $0.timeControlStatus == .playing }
        let before = server.state.current.requests.count
        for time in [5, 2, 8, 4] {
            await stage.player.pause()
            #expect(await stage.player.seek(to: MediaTime(seconds: Double(time))))
            await stage.player.play()
        }
        // Many at once: only the last one counts.
        let player = stage.player
        async let first = player.seek(to: 3)
        async let second = player.seek(to: 6)
        #expect([await first, await second].contains(true))
        // All of it had been read.
        #expect(server.state.current.requests.count <= before + 1, "\(server.state.current.requests)")
        await stage.player.close()
    }

    // MARK: Logs

    @Test func aPauseAndAJumpBeginAnotherStretch() async throws {
        let server = try PacedServer(try await Self.song(20))
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(server.url)])
        await stage.player.play()
        try await stage.log.waitForStatus("playing") { $0.timeControlStatus == .playing }
        await stage.player.pause()
        await stage.player.play()
        await stage.player.seek(to: 10)
        let log = await stage.player.accessLog()
        #expect(log.events.count == 3)
        let last = try #require(log.events.last)
        #expect(abs(last.playbackStartOffset - 10) < 0.5)
        #expect(last.serverAddress == nil || last.serverAddress == "127.0.0.1")
        #expect(last.numberOfStalls == 0)
        #expect(last.playbackSessionID?.count == 36)
        #expect(Set(log.events.map(\.playbackSessionID)).count == 1)
        await stage.player.close()
    }

    @Test func filesHaveALogToo() async throws {
        let stage = await ClockStage()
        let path = try await Self.song(1)
        await stage.player.append([MediaEntry(path)])
        await stage.player.play()
        try await stage.log.waitForEnd()
        let id = try #require(await stage.player.items.first?.id)
        let log = await stage.player.accessLog(of: id)
        #expect(log.events.count == 1)
        let event = try #require(log.events.first)
        #expect(event.uri == path)
        #expect(event.numberOfMediaRequests == -1 && event.numberOfBytesTransferred == -1)
        #expect(abs(event.durationWatched - 1) < 0.1)
        #expect(await stage.player.errorLog(of: id).events.isEmpty)
        await stage.player.close()
    }
}
