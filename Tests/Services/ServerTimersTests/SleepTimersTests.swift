import AudioTypes
import Mixers
import NIOCore
import Playback
import Playlists
import ServerBasics
import ServerRooms
import ServiceTestSupport
import Songs
import StateStore
import TestSupport
import Testing

@testable import ServerTimers
@testable import Zones

/// Sleep timers whose minutes the test lets pass.
@Suite actor SleepTimersTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let loop = TestLoop()
        let rooms = TestRooms()
        let timers: SleepTimers
        let seen: Seen

        final class Seen: SleepTimerDelegate {
            var kept: [Record] = []
            var changes = 0
            var isActing = false
            /// Whether the timer has acted when the zone changed, for each change.
            var actors: [Bool] = []
            /// The end of the chapter that the current song is in.
            var chapterEnd: Double?

            func sleepTimerChanged(of zone: Zone) { changes += 1 }
            func sleepTimerSettingChanged(_ record: Record) { kept.append(record) }

            func actAsSleepTimer(_ body: () -> Void) {
                isActing = true
                body()
                isActing = false
            }
        }

        init() {
            let seen = Seen()
            self.seen = seen
            timers = SleepTimers(rooms.rooms, loop: loop, clock: loop.clock, delegate: seen) { zone in
                guard let end = seen.chapterEnd, let id = zone.queue.currentEntry?.id else { return nil }
                return (id, end)
            }
        }

        /// A zone with two songs, whose timers are told of its changes.
        func add(_ name: String = "a") throws -> Zone {
            let dependencies = ZoneDependencies(
                medium: { MediaEntry(location: "/nonexistent/" + $0.uri) },
                changed: { [unowned self] zone, _ in
                    seen.actors.append(seen.isActing)
                    timers.zoneChanged(zone)
                }
            )
            let room = rooms.add(name, [.nowhere("the output of \(name)")], dependencies: dependencies)
            room.zone.connect(Player(output: room.mixer.makeChannel())) { _ in }
            _ = try room.zone.add(["one.flac", "two.flac"].map { Song(uri: $0) })
            return room.zone
        }

        func playing() throws -> Zone {
            let zone = try add()
            try zone.play()
            return zone
        }

        var now: Double { loop.clock.now }

        /// The song of a zone's player ends, and the player has no further one.
        func endSong(of zone: Zone) throws {
            zone.receive(ZoneEvent(event: .queueEnded, after: .max, player: try #require(zone.player)))
        }
    }

    // MARK: A time

    @Test func itFadesForAMinuteAndPauses() throws {
        let stage = Stage()
        let zone = try stage.playing()
        try zone.setVolume(70)
        stage.timers.set(.time(stage.now + 600), of: zone)
        #expect(stage.timers.remaining(in: zone) == 600)
        #expect(stage.seen.kept == [Record("sleep", "a", "1780315800")] && stage.timers.records == stage.seen.kept)
        stage.loop.pass(539)
        #expect(!stage.timers.isFading(zone) && zone.sleepFade == nil)
        let changes = stage.seen.changes
        stage.loop.pass(1)
        #expect(stage.timers.isFading(zone) && zone.sleepFade?.seconds == 60)
        #expect(stage.seen.changes == changes + 1)
        stage.loop.pass(59)
        #expect(zone.state == .play && stage.timers.remaining(in: zone) == 1)
        stage.loop.pass(1)
        #expect(zone.state == .pause && zone.volume == 70 && stage.seen.actors.last == true)
        #expect(stage.timers.end(of: zone) == nil && stage.timers.records.isEmpty)
        #expect(stage.seen.kept.last == Record("sleep", "a", "off"))
        // The level returns once the pause cannot be heard any more.
        #expect(zone.sleepFade != nil)
        stage.loop.pass(1)
        #expect(zone.sleepFade == nil && stage.loop.waitingCount == 0)
    }

    @Test func aShortOneFadesFromTheStart() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.set(.time(stage.now + 3), of: zone)
        stage.loop.pass(0)
        #expect(zone.sleepFade?.seconds == 3)
        stage.loop.pass(3)
        #expect(zone.state == .pause)
    }

    @Test(arguments: [7_200.0, -7_200.0])
    func aClockThatIsSetDoesNotMoveIt(seconds: Double) throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.set(.time(stage.now + 600), of: zone)
        stage.loop.pass(100)
        stage.loop.setTimeOfDay(stage.now + seconds)
        #expect(stage.timers.remaining(in: zone) == 500)
        stage.loop.pass(499)
        #expect(zone.state == .play)
        stage.loop.pass(1)
        #expect(zone.state == .pause)
    }

    @Test func itsEndDuringTheFadeBringsTheLevelBack() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.set(.time(stage.now + 90), of: zone)
        stage.loop.pass(60)
        #expect(stage.timers.isFading(zone) && zone.sleepFade != nil)
        stage.timers.set(nil, of: zone)
        #expect(!stage.timers.isFading(zone) && zone.sleepFade == nil)
        #expect(stage.seen.kept.last == Record("sleep", "a", "off") && stage.loop.waitingCount == 0)
        stage.loop.pass(600)
        #expect(zone.state == .play)
    }

    /// The level that returns after one timer is not that of the next one's fade.
    @Test func theNextFadeIsKept() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.set(.time(stage.now + 5), of: zone)
        stage.loop.pass(5)
        try zone.play()
        stage.timers.set(.time(stage.now + 10), of: zone)
        stage.loop.pass(2)
        #expect(zone.state == .play && zone.sleepFade?.seconds == 10)
        stage.loop.pass(8)
        #expect(zone.state == .pause)
    }

    @Test func aLaterOneTakesItsPlace() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.set(.time(stage.now + 60), of: zone)
        stage.timers.set(.time(stage.now + 600), of: zone)
        stage.loop.pass(599)
        #expect(zone.state == .play)
        stage.loop.pass(1)
        #expect(zone.state == .pause)
    }

    /// An interrupted zone does not come back after its timer.
    @Test func anInterruptedZoneStaysSilent() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.set(.time(stage.now + 60), of: zone)
        zone.interrupt(by: 7, fadingOver: 0)
        #expect(zone.lastingState == .play)
        stage.loop.pass(60)
        #expect(zone.lastingState == .pause && stage.timers.end(of: zone) == nil)
    }

    // MARK: An end of what plays

    /// The next song is there, paused at its start, and the timer was for once.
    @Test func itPausesAfterTheSong() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.set(.song, of: zone)
        #expect(stage.timers.remaining(in: zone) == nil && stage.timers.end(of: zone) == .song)
        #expect(stage.seen.kept == [Record("sleep", "a", "endofsong")])
        stage.loop.pass(86_400)
        #expect(zone.state == .play)
        try stage.endSong(of: zone)
        #expect(zone.state == .pause && zone.queue.current == 1)
        #expect(stage.timers.end(of: zone) == nil && stage.seen.kept.last == Record("sleep", "a", "off"))
    }

    @Test(arguments: [SleepEnd.song, .queue])
    func aStopEndsIt(_ end: SleepEnd) throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.set(end, of: zone)
        zone.stop()
        #expect(stage.timers.end(of: zone) == nil && zone.queue.modes.rest == nil)
    }

    @Test func itEndsARepeatedQueue() throws {
        let stage = Stage()
        let zone = try stage.playing()
        zone.setRepeat(true)
        stage.timers.set(.queue, of: zone)
        try stage.endSong(of: zone)
        #expect(zone.state == .play && zone.queue.current == 1 && stage.timers.end(of: zone) == .queue)
        try stage.endSong(of: zone)
        #expect(zone.state == .stop && zone.queue.modes.repeats)
        #expect(stage.timers.end(of: zone) == nil && stage.seen.kept.last == Record("sleep", "a", "off"))
    }

    @Test func itPausesAtTheEndOfTheChapter() throws {
        let stage = Stage()
        let zone = try stage.playing()
        #expect(!stage.timers.set(.chapter, of: zone), "there are no chapters")
        #expect(stage.timers.end(of: zone) == nil && stage.seen.kept.isEmpty)
        stage.seen.chapterEnd = 30
        #expect(stage.timers.set(.chapter, of: zone))
        stage.loop.pass(20)
        // While it is paused the chapter does not go on.
        try zone.setPaused(true)
        stage.loop.pass(600)
        #expect(stage.timers.end(of: zone) == .chapter)
        try zone.setPaused(false)
        // Half a second before the end, because that is how long it fades.
        stage.loop.pass(29.4)
        #expect(zone.state == .play)
        stage.loop.pass(0.1)
        #expect(zone.state == .pause && stage.timers.end(of: zone) == nil)
    }

    @Test func anotherSongEndsTheTimerOfAChapter() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.seen.chapterEnd = 30
        #expect(stage.timers.set(.chapter, of: zone))
        try zone.next()
        #expect(stage.timers.end(of: zone) == nil)
        stage.loop.pass(60)
        #expect(zone.state == .play)
    }

    // MARK: Restarts and zones that go

    /// It has counted on while the server was down.
    @Test func itIsRestored() throws {
        let first = Stage()
        first.timers.set(.time(first.now + 600), of: try first.playing())
        let second = Stage()
        let zone = try second.playing()
        second.loop.pass(400)
        for record in first.timers.records { second.timers.restore(record) }
        #expect(second.timers.remaining(in: zone) == 200 && second.seen.kept.isEmpty)
        second.loop.pass(200)
        #expect(zone.state == .pause)
    }

    @Test func oneThatIsDuePausesAtOnce() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.restore(Record("sleep", "a", "\(Int(stage.now) - 5)"))
        stage.loop.pass(0.1)
        #expect(zone.state == .pause && stage.seen.kept == [Record("sleep", "a", "off")])
    }

    @Test func theEndOfASongIsRestored() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.restore(Record("sleep", "a", "endofsong"))
        #expect(stage.timers.end(of: zone) == .song && zone.queue.modes.rest == .afterSong)
        stage.timers.restore(Record("sleep", "a", "off"))
        #expect(stage.timers.end(of: zone) == nil && zone.queue.modes.rest == nil)
    }

    @Test(arguments: [["sleep", "a", "chapter"], ["sleep", "a", "soon"], ["sleep", "a"], ["sleep", "b", "queue"]])
    func whatCannotBeRestoredIsLeftOut(words: [String]) throws {
        let stage = Stage()
        _ = try stage.playing()
        stage.timers.restore(Record(words[0], Array(words.dropFirst())))
        #expect(stage.timers.records.isEmpty && stage.loop.waitingCount == 0)
    }

    @Test func aZoneThatIsRemovedTakesItsTimerAlong() throws {
        let stage = Stage()
        let zone = try stage.playing()
        stage.timers.set(.time(stage.now + 60), of: zone)
        stage.timers.zoneRemoved(zone)
        stage.rooms.rooms.remove(zone)
        #expect(stage.seen.kept.last == Record("sleep", "a", "off") && stage.timers.records.isEmpty)
        #expect(stage.loop.waitingCount == 0)
        let count = stage.seen.kept.count
        stage.timers.zoneRemoved(zone)
        #expect(stage.seen.kept.count == count)
    }
}
