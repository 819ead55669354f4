import AudioTypes
import NIOCore
import Playlists
import ServerBasics
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Songs
import TestSupport
import Testing
import Threads

@testable import ServerArtwork
@testable import Zones

/// The pictures of streams, fetched from a server of the test's own.
@Suite actor StationPicturesTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let sessions = TestSessions()
        let zone: Zone
        let pictures: StationPictures
        let loop = TestLoop()
        private let work = WorkThreads()
        /// The zones whose pictures have changed.
        let changes = Watched<[String]>([])
        /// The songs for which something was to be fetched.
        var asked: [String] { notes.asked }
        private let notes = Notes()

        private final class Notes { var asked: [String] = [] }

        init() throws {
            zone = try sessions.add("a", .nowhere("x"))
            let (rooms, changes, notes) = (sessions.rooms.rooms, changes, notes)
            pictures = StationPictures(
                work,
                loop: loop,
                options: { _, song in
                    notes.asked.append(song.uri)
                    return HTTPOptions()
                },
                zone: { rooms.zone(named: $0) },
                changed: { zone in changes.withLock { $0.append(zone) } }
            )
        }

        /// Plays a stream that names pictures.
        func play(_ uri: String, programme: String? = nil, station: String? = nil, cover: [UInt8]? = nil) throws {
            if zone.queue.currentEntry?.song.uri != uri {
                zone.clear()
                _ = try zone.add([Song(uri: uri)])
            }
            try zone.play()
            zone.pictures = StreamPictures(uri: uri, programme: programme, station: station, cover: cover)
            pictures.zoneChanged(zone)
        }

        func stop() {
            zone.stop()
            pictures.zoneChanged(zone)
        }

        func wait(forChanges count: Int) async throws {
            let isThere = await changes.wait(within: .patience) { $0.count >= count }
            if !isThere { throw TestRooms.Missing(what: "\(count) changes") }
        }

        /// Waits for all fetches: the jobs that end together have both threads.
        func finish() async {
            let running = Watched(0)
            for _ in 0..<2 {
                work.submit(to: .stations) {
                    running.withLock { $0 += 1 }
                    _ = running.waitBlocking(within: .patience) { $0 == 2 }
                }
            }
            _ = await running.wait(within: .patience) { $0 == 2 }
            loop.runReady()
        }
    }

    /// Serves pictures by their names, and nothing else.
    private static func makeServer() throws -> HostileServer {
        try HostileServer { exchange in
            switch exchange.path {
            case "/red": exchange.answer("200 OK", "image/bmp", TestPictures.red)
            case "/blue": exchange.answer("200 OK", "image/bmp", TestPictures.blue)
            case "/page": exchange.answer("200 OK", "image/png", Array("<html>".utf8))
            case "/drawing": exchange.answer("200 OK", "image/png", Array("<svg xmlns='x'></svg>".utf8))
            case "/silent": exchange.waitForEnd()
            default: exchange.answer("404 Not Found", "text/plain")
            }
        }
    }

    @Test func aPictureIsFetchedOnce() async throws {
        let (stage, server) = (try Stage(), try Self.makeServer())
        let uri = server.url("radio").replacing("http://", with: "http://me:secret@")
        #expect(stage.pictures.pictures.isEmpty)
        for _ in 0..<3 { try stage.play(uri, station: server.url("red")) }
        try await stage.wait(forChanges: 1)
        stage.pictures.zoneChanged(stage.zone)
        stage.loop.pass(100)
        stage.pictures.zoneChanged(stage.zone)
        #expect(stage.changes.current == ["a"] && stage.asked == [uri])
        #expect(server.state.current.requests == ["GET /red HTTP/1.1"])
        let picture = try #require(stage.pictures.pictures[server.url("radio")])
        #expect(picture.bytes == TestPictures.red && picture.name.hasPrefix("fetched-"))
        stage.stop()
        #expect(stage.pictures.pictures.isEmpty)
    }

    /// The programme's goes before the station's, and both before the stream's own cover.
    @Test(arguments: [
        ("red", "blue", TestPictures.red), ("none", "blue", TestPictures.blue), ("page", "drawing", TestPictures.green),
    ])
    func theFirstThatIsAPictureCounts(programme: String, station: String, picture: [UInt8]) async throws {
        let (stage, server) = (try Stage(), try Self.makeServer())
        let (uri, addresses) = (server.url("radio"), [programme, station].map(server.url))
        try stage.play(uri, programme: addresses[0], station: addresses[1], cover: TestPictures.green)
        try await stage.wait(forChanges: 1)
        #expect(stage.pictures.pictures[uri]?.bytes == picture)
    }

    @Test func withoutAddressesNothingIsFetched() throws {
        let stage = try Stage()
        try stage.play("http://radio/a")
        stage.zone.pictures = StreamPictures(uri: "http://radio/before", station: "http://radio/logo")
        stage.pictures.zoneChanged(stage.zone)
        #expect(stage.asked.isEmpty)
    }

    /// A stream cannot have this machine's network looked at: only its own host may be at a private address.
    @Test func anotherHostIsNotAskedWhereThatIsPrivate() async throws {
        let (stage, server) = (try Stage(), try Self.makeServer())
        let elsewhere = server.url("blue").replacing("127.0.0.1", with: "localhost")
        try stage.play(server.url("radio"), programme: elsewhere, station: server.url("red"))
        try await stage.wait(forChanges: 1)
        #expect(server.state.current.requests == ["GET /red HTTP/1.1"])
        #expect(stage.pictures.pictures.values.map(\.bytes) == [TestPictures.red])
    }

    /// A picture that could not be fetched is not asked for again, and that of a stream that begins again only after the
    /// pause.
    @Test func aFailureIsNotRepeatedAtOnce() async throws {
        let (stage, server) = (try Stage(), try Self.makeServer())
        let uri = server.url("radio")
        try stage.play(uri, station: server.url("none"))
        try await stage.wait(forChanges: 1)
        #expect(stage.pictures.pictures.isEmpty)
        stage.pictures.zoneChanged(stage.zone)
        stage.stop()
        try stage.play(uri, station: server.url("none"))
        stage.loop.pass(4.9)
        #expect(stage.asked.count == 1)
        stage.loop.pass(0.1)
        #expect(stage.asked.count == 2)
        try await stage.wait(forChanges: 2)
        stage.loop.pass(100)
        stage.pictures.zoneChanged(stage.zone)
        #expect(stage.asked.count == 2 && server.state.current.requests.count == 2)
    }

    /// A picture that is not wanted any more is given up, and the next one is fetched after the pause.
    @Test func anotherPictureIsWanted() async throws {
        let (stage, server) = (try Stage(), try Self.makeServer())
        let uri = server.url("radio")
        try stage.play(uri, station: server.url("silent"))
        #expect(await server.state.wait(within: .patience) { $0.requests.count == 1 })
        try stage.play(uri, programme: server.url("red"))
        #expect(await stage.loop.wait(forTimers: 1))
        #expect(stage.changes.current.isEmpty && stage.asked.count == 1)
        stage.loop.pass(5)
        try await stage.wait(forChanges: 1)
        #expect(stage.pictures.pictures[uri]?.bytes == TestPictures.red)
    }

    @Test func aZoneThatGoesWantsNoPicture() async throws {
        let (stage, server) = (try Stage(), try Self.makeServer())
        try stage.play(server.url("radio"), station: server.url("silent"))
        #expect(await server.state.wait(within: .patience) { $0.requests.count == 1 })
        stage.sessions.rooms.rooms.remove(stage.zone)
        stage.pictures.zoneRemoved(stage.zone)
        await stage.finish()
        #expect(stage.changes.current.isEmpty && stage.loop.waitingCount == 0 && stage.pictures.pictures.isEmpty)
    }
}
