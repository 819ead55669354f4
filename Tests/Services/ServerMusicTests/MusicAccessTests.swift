import AudioTypes
import LineProtocol
import MusicDirectories
import NIOCore
import Playlists
import ServerBasics
import ServerRooms
import ServiceTestSupport
import Settings
import Songs
import TestSupport
import Testing
import Threads
import Zones

@testable import ServerMusic

/// What songs are to players.
@Suite struct MusicAccessTests {
    private let rooms = TestRooms()

    private func access(_ directory: String?) -> MusicAccess {
        let directory = directory.map { MusicDirectory(root: $0, followsOutsideLinks: false) }
        return MusicAccess(directory, nil, rooms.configuration)
    }

    @Test func mediaAreInTheDirectory() throws {
        let access = access("/music")
        #expect(access.medium(Song(uri: "a/b.flac"))?.location == "/music/a/b.flac")
        #expect(access.medium(Song(uri: "/tmp/x.wav"))?.location == "/tmp/x.wav")
        #expect(access.medium(Song(uri: "http://h/x"))?.location == "http://h/x")
        let part = try #require(Song.Range(checking: 3, end: 5))
        #expect(access.medium(Song(uri: "/tmp/x.wav", range: part))?.start == MediaTime(seconds: 3))
        #expect(access.uriInMusic("/") == "")
        #expect(access.uriInMusic("/music/a/b.flac") == "a/b.flac")
        #expect(access.uriInMusic("/elsewhere/b.flac") == "/elsewhere/b.flac")
    }

    @Test func whatIsNotThereIsAnError() {
        let access = access(nil)
        #expect(throws: AckError.self) { try access.requireDirectory() }
        #expect(throws: AckError.self) { try access.requirePlaylists() }
        #expect(access.finder == nil)
    }

    @Test func theChimeIsAnyFile() {
        let access = access("/music")
        #expect(access.configuredChime == [])
        rooms.configuration.value.announcements.chime = "/bells/gong.wav"
        #expect(access.configuredChime.map(\.location) == ["/bells/gong.wav"])
        rooms.configuration.value.announcements.chime = "gong.wav"
        #expect(access.configuredChime.map(\.location) == ["/music/gong.wav"])
        rooms.configuration.value.announcements.chime = ""
        #expect(access.configuredChime == [])
    }
}

/// Songs that are added unseen are shown as they are once they were read.
@Suite actor SongArrivalsTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    @Test func songsAreShownAsTheyAre() async throws {
        let folder = try TemporaryFolder()
        try writeSound(to: folder.file("one.wav"))
        let rooms = TestRooms()
        let zone = rooms.add("a").zone
        _ = try zone.add([Song(uri: "one.wav"), Song(uri: "missing.wav")])
        let refreshed = Watched<[String]>([])
        let music = MusicDirectory(root: folder.path, followsOutsideLinks: false)
        let arrivals = SongArrivals(
            music,
            SongCache(capacity: 100),
            rooms.rooms,
            WorkThreads(),
            loop: testLoop,
            library: { nil },
            refreshed: { zone, _ in refreshed.withLock { $0.append(zone.name) } }
        )
        let before = zone.queue.version
        arrivals.examine((0..<2).map { (uri: zone.queue[$0].song.uri, id: zone.queue[$0].id) }, in: zone)
        #expect(await refreshed.wait(within: .patience) { !$0.isEmpty })
        #expect(refreshed.current == ["a"])
        #expect(zone.queue[0].song.duration == 0.25)
        #expect(zone.queue[1].song.duration == nil)
        #expect(zone.queue.version != before)
        // Songs of a zone that is gone are not told of.
        rooms.rooms.remove(zone)
        rooms.add("b")
        arrivals.examine([(uri: "one.wav", id: zone.queue[0].id)], in: zone)
        withExtendedLifetime(arrivals) {}
    }
}
