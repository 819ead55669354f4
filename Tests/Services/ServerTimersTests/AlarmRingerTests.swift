import Alarms
import AudioSessions
import AudioTypes
import Dispatch
import Mixers
import NIOCore
import Playlists
import ServerBasics
import ServerRooms
import ServerSessions
import ServiceTestSupport
import TestSupport
import Testing
import Zones

@testable import ServerTimers

/// Ringing alarms with voices that the test lets be heard, or not, and seconds that it lets pass.
@Suite actor AlarmRingerTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    /// A voice that plays nothing, and knows what it was told.
    private final class SilentVoice: AlarmVoice {
        let sound: AlarmSound
        var volumes: [Double]
        var ducks: [Double] = []
        var hasEnded = false

        init(_ sound: AlarmSound) {
            self.sound = sound
            volumes = [sound.volume.percent]
        }

        func setVolume(_ volume: Volume) { volumes.append(volume.percent) }
        func setDuck(_ gain: Gain, over ramp: Double) { ducks.append(gain.decibels.rounded()) }
        func end(fadingOver fade: Double?) { hasEnded = true }

        /// Percent of the zone's volume, rounded.
        var percent: Int { Int((volumes.last ?? 0).rounded()) }
    }

    private final class Stage {
        let loop = TestLoop()
        let sessions: TestSessions
        let zone: Zone
        let ringer: AlarmRinger
        let seen = Seen()

        final class Seen {
            /// The sources that were looked for, one after another.
            var sources: [String] = []
            /// Sources that are never found, so that nothing is heard.
            var silent: Set<String> = []
            /// Sources that there are not.
            var missing: Set<String> = []
            var voices: [SilentVoice] = []
            var heard: [String] = []
            var ends: [AlarmRinger.End] = []
            var log: [String] = []
            var late: [([MediaEntry]) -> Void] = []
            /// The most that the zone plays while an alarm rings; `nil` for as much as else.
            var loudest: Int?
            weak var ringer: AlarmRinger?

            func hold(_ zone: Zone) {
                guard let loudest else { return }
                zone.volumeCeiling = ringer?.alarm(in: zone) == nil ? 20 : loudest
            }
        }

        init() throws {
            sessions = TestSessions(on: loop)
            zone = try sessions.add("a", .nowhere("x"))
            try zone.setVolume(15)
            let seen = seen
            ringer = AlarmRinger(
                sessions.rooms.rooms,
                sessions.service,
                loop: loop,
                RingerDependencies(
                    media: { source, _, then in
                        seen.sources.append("\(source)")
                        if seen.silent.contains("\(source)") { return seen.late.append(then) }
                        then(seen.missing.contains("\(source)") ? [] : [MediaEntry(location: "\(source)")])
                    },
                    resolve: { $0 },
                    plays: { seen.heard.append("\($1)") },
                    ringingChanged: { seen.hold($0) },
                    ended: { seen.ends.append($1) },
                    log: { seen.log.append($0) },
                    makeVoice: { sound in
                        let voice = SilentVoice(sound)
                        seen.voices.append(voice)
                        return voice
                    }
                )
            )
            seen.ringer = ringer
            sessions.told.settle = { [unowned ringer] in ringer.settle($0, over: $1) }
        }

        /// Rings as alarm 1, at noon.
        func ring(_ words: String = "", after elapsed: Double = 0) throws {
            var alarm = try Alarm(
                id: 1,
                parsing: ["12:00"] + words.split(separator: " ").map(String.init),
                now: Moment(loop.clock.now) - 60,
                in: LocalTime { _ in 0 }
            )
            alarm.ringing = .init(since: Moment(loop.clock.now), volume: zone.shownVolume)
            try ringer.ring(alarm, in: zone, after: elapsed)
        }

        func voice(_ number: Int) throws -> SilentVoice { try #require(seen.voices.dropFirst(number).first) }

        func begin(_ number: Int) throws {
            try voice(number).sound.began()
            loop.runReady()
        }

        func end(_ number: Int, _ end: Voice.End) throws {
            try voice(number).sound.ended(end)
            loop.runReady()
        }
    }

    // MARK: How loud it is

    /// Under a ceiling an alarm may have one of its own, which ends with it.
    @Test func anAlarmMayBeLouderThanItsZone() throws {
        for (loudest, heard) in [(nil, 20), (60, 60), (30, 30)] as [(Int?, Int)] {
            let stage = try Stage()
            stage.zone.volumeCeiling = 20
            stage.seen.loudest = loudest
            try stage.ring("uri file volume 60")
            #expect(stage.zone.volume == heard && stage.zone.volumeCeiling == loudest ?? 20)
            try stage.begin(0)
            #expect(stage.ringer.end(1, .dismissed))
            #expect(stage.zone.volume == 15 && stage.zone.volumeCeiling == 20)
            // A volume that was set while it rang is held as well.
            try stage.ring("uri file volume 60")
            try stage.zone.setVolume(25)
            #expect(stage.ringer.end(1, .dismissed))
            #expect(stage.zone.volume == (loudest == nil ? 15 : 20), "\(String(describing: loudest))")
        }
    }

    // MARK: What it plays

    @Test func theFallbackAndTheBellFollowWhatIsNotHeard() throws {
        let stage = try Stage()
        stage.seen.silent = ["radio", "file"]
        try stage.ring("uri radio fallback file")
        stage.loop.pass(8.9)
        #expect(stage.seen.sources == ["radio"])
        stage.loop.pass(0.1)
        #expect(stage.seen.sources == ["radio", "file"])
        #expect(stage.seen.log == ["alarm 1: radio: nothing was heard within 9 s"])
        stage.loop.pass(9)
        #expect(stage.seen.sources == ["radio", "file", "the bell"] && stage.seen.voices.count == 1)
        try stage.begin(0)
        #expect(stage.seen.heard == ["the bell"])
        // The station that is found too late is not played over the bell.
        for then in stage.seen.late { then([MediaEntry(location: "late")]) }
        stage.loop.pass(60)
        #expect(stage.seen.voices.count == 1 && stage.ringer.isRinging(1))
    }

    /// A station that was opened, and sends nothing.
    @Test func aVoiceThatIsNotHeardGivesWay() throws {
        let stage = try Stage()
        try stage.ring("uri radio")
        stage.loop.pass(9)
        #expect(stage.seen.sources == ["radio", "the bell"])
        #expect(stage.seen.voices.map(\.hasEnded) == [true, false])
        // It is too late now.
        try stage.begin(0)
        try stage.end(0, .failed("gone"))
        #expect(stage.seen.heard.isEmpty && stage.seen.sources.count == 2)
    }

    @Test(arguments: [Voice.End.failed("gone"), .unheard, .heard])
    func whatFailsGivesWayAtOnce(_ end: Voice.End) throws {
        let stage = try Stage()
        try stage.ring("uri radio")
        try stage.begin(0)
        stage.loop.pass(0.5)
        try stage.end(0, end)
        #expect(stage.seen.sources == ["radio", "the bell"] && stage.seen.log.count == 1)
    }

    @Test func whatDoesNotExistGivesWayAtOnce() throws {
        let stage = try Stage()
        stage.seen.missing = ["radio", "file"]
        try stage.ring("uri radio fallback file")
        #expect(stage.seen.sources == ["radio", "file", "the bell"])
        #expect(stage.seen.log.first == "alarm 1: radio: there is no such sound")
    }

    @Test func itPlaysAgainAfterItsEnd() throws {
        let stage = try Stage()
        try stage.ring("uri radio")
        try stage.begin(0)
        stage.loop.pass(30)
        #expect(stage.seen.voices.count == 1)
        try stage.end(0, .heard)
        #expect(try stage.seen.sources == ["radio", "radio"] && stage.voice(0).hasEnded)
        try stage.begin(1)
        #expect(stage.seen.heard == ["radio", "radio"] && stage.seen.log.isEmpty)
    }

    /// The log has it once, until the bell was heard.
    @Test func theBellIsTriedEveryFiveSeconds() throws {
        let stage = try Stage()
        try stage.ring()
        try stage.end(0, .unheard)
        for count in 1...3 {
            stage.loop.pass(4.9)
            #expect(stage.seen.voices.count == count)
            stage.loop.pass(0.1)
            #expect(stage.seen.voices.count == count + 1)
            try stage.end(count, .unheard)
        }
        #expect(stage.seen.log == ["alarm 1: the bell: no output plays"])
        stage.loop.pass(5)
        try stage.begin(4)
        stage.loop.pass(60)
        #expect(stage.seen.heard == ["the bell"] && stage.seen.voices.count == 5)
        try stage.end(4, .unheard)
        #expect(stage.seen.log.count == 2)
    }

    @Test func aBellThatSaysNothingIsTriedAgain() throws {
        let stage = try Stage()
        try stage.ring()
        stage.loop.pass(13.9)
        #expect(stage.seen.voices.count == 1)
        stage.loop.pass(0.1)
        #expect(try stage.seen.voices.count == 2 && stage.voice(0).hasEnded)
    }

    /// A disk that does not answer: a real player is not heard, and another one is.
    @Test func realPlayersGiveWay() async throws {
        let (loop, folder, stalled) = (TestLoop(), try TemporaryFolder(), DispatchSemaphore(value: 0))
        defer { stalled.signal() }
        let test = TestSessions(on: loop)
        let zone = try test.add("a", .nowhere("x"))
        let bell = folder.file("bell.wav")
        try writeSound(to: bell)
        let heard = Watched<[String]>([])
        let ringer = AlarmRinger(
            test.rooms.rooms,
            test.service,
            loop: loop,
            RingerDependencies(
                media: { source, _, then in then([MediaEntry(location: source == .bell ? bell : "/stalled")]) },
                resolve: { medium in
                    if medium.location == "/stalled" { stalled.wait() }
                    return medium
                },
                plays: { _, source in heard.withLock { $0.append("\(source)") } },
                ended: { _, _ in },
                log: { _ in }
            )
        )
        let words = ["12:00", "uri", "file"]
        let alarm = try Alarm(id: 1, parsing: words, now: Moment(loop.clock.now) - 60, in: LocalTime { _ in 0 })
        try ringer.ring(alarm, in: zone)
        loop.pass(8.9)
        #expect(heard.current.isEmpty)
        loop.pass(0.1)
        #expect(await heard.wait(within: .patience) { $0 == ["the bell"] })
        ringer.end(1, .dismissed)
    }

    // MARK: How loud it is

    @Test func theVolumeRises() throws {
        let stage = try Stage()
        try stage.ring("volume 20-40 ramp 60")
        try stage.begin(0)
        #expect(try stage.zone.volume == 40 && stage.voice(0).percent == 50)
        stage.loop.pass(30)
        #expect(try stage.voice(0).percent == 75)
        stage.loop.pass(29)
        #expect(try stage.voice(0).percent < 100)
        stage.loop.pass(1.5)
        #expect(try stage.voice(0).percent == 100)
        let count = try stage.voice(0).volumes.count
        stage.loop.pass(60)
        #expect(try stage.voice(0).volumes.count == count && stage.loop.waitingCount == 1, "only its limit waits")
    }

    /// The next source goes on where the ramp is, as does one after a restart.
    @Test func theRampGoesOn() throws {
        let stage = try Stage()
        try stage.ring("uri radio volume 20-40 ramp 60", after: 21)
        #expect(try stage.voice(0).percent == 68)
        stage.loop.pass(9)
        #expect(try stage.voice(1).sound.volume.percent == 75)
    }

    @Test func aZoneWithoutVolumeIsAtFullScale() throws {
        let stage = try Stage()
        stage.zone.hasMixer = false
        try stage.ring("volume 20-40 ramp 60")
        try stage.begin(0)
        #expect(try stage.voice(0).percent == 20)
        stage.loop.pass(60)
        #expect(try stage.voice(0).percent == 40)
    }

    /// The music fades out at its own volume, and the alarm waits for that.
    @Test func theMusicFadesFirst() throws {
        let stage = try Stage()
        try stage.zone.play()
        try stage.ring("volume 70")
        #expect(stage.zone.state == .pause && stage.zone.volume == 15)
        let wait = try stage.voice(0).sound.wait
        #expect(wait > 0.1)
        stage.loop.pass(wait)
        #expect(stage.zone.volume == 70)
    }

    // MARK: How it ends

    @Test func itRingsAsLongAsItMay() throws {
        let stage = try Stage()
        try stage.zone.play()
        try stage.ring("length 300")
        try stage.begin(0)
        stage.loop.pass(299)
        #expect(stage.ringer.alarm(in: stage.zone)?.id == 1 && stage.seen.ends.isEmpty)
        stage.loop.pass(1)
        #expect(try stage.seen.ends == [.timedOut] && stage.voice(0).hasEnded)
        #expect(stage.zone.state == .play && stage.zone.volume == 15)
        #expect(stage.sessions.service.all.map(\.kind) == [.zone] && stage.loop.waitingCount == 0)
    }

    @Test func itHasRungForAWhileBefore() throws {
        let stage = try Stage()
        try stage.ring("length 300", after: 200)
        stage.loop.pass(99)
        #expect(stage.seen.ends.isEmpty)
        stage.loop.pass(1)
        #expect(stage.seen.ends == [.timedOut])
    }

    /// The music comes back only where nothing else was wanted.
    @Test(arguments: [
        (AlarmRinger.End.dismissed, PlayState.play), (.silenced, .pause), (.snoozed, .pause), (.replaced, .play),
        (.removed, .play),
    ])
    func itEnds(_ end: AlarmRinger.End, _ state: PlayState) throws {
        let stage = try Stage()
        try stage.zone.play()
        try stage.ring("volume 70")
        try stage.begin(0)
        stage.loop.pass(1)
        #expect(stage.ringer.end(1, end) && !stage.ringer.end(1, end))
        #expect(try stage.seen.ends == [end] && stage.voice(0).hasEnded)
        #expect(stage.zone.state == state && stage.zone.lastingState == state && stage.zone.volume == 15)
        #expect(stage.loop.waitingCount == 0)
        // Nothing of it is left to ring.
        stage.loop.pass(3_600)
        #expect(stage.seen.voices.count == 1)
    }

    @Test func aVolumeThatWasSetMeanwhileStays() throws {
        let stage = try Stage()
        try stage.ring("volume 70")
        try stage.zone.setVolume(33)
        stage.ringer.end(1, .dismissed)
        #expect(stage.zone.volume == 33)
    }

    @Test func aCallInterruptsIt() throws {
        let stage = try Stage()
        try stage.ring()
        let session = try stage.voice(0).sound.session
        let call = try stage.sessions.service.begin(SystemInterruption(.call, name: "office"), in: [stage.zone]).0
        #expect(stage.sessions.told.interrupted == [session])
        #expect(stage.ringer.interrupted(session, by: .session(call)))
        #expect(try stage.seen.ends == [.interrupted(by: "a call 'office'")] && stage.voice(0).hasEnded)
        #expect(!stage.ringer.interrupted(session, by: .session(call)), "it is no alarm's any more")
    }

    @Test func theSystemInterruptsIt() throws {
        let stage = try Stage()
        try stage.ring()
        #expect(try stage.ringer.interrupted(stage.voice(0).sound.session, by: .route))
        #expect(stage.seen.ends == [.interrupted(by: "the system")])
    }

    @Test func aRemovedZoneEndsIt() throws {
        let stage = try Stage()
        try stage.ring()
        stage.ringer.zoneRemoved(stage.zone)
        #expect(stage.seen.ends == [.removed] && stage.loop.waitingCount == 0)
    }
}
