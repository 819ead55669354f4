import AudioSessions
import MPRIS
import NIOCore
import NowPlaying
import ServerBasics
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Testing
import Zones

@testable import ServerNowPlaying

/// The election of the now-playing session, and remote commands that the test answers or leaves unanswered.
@Suite actor NowPlayingServiceTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    private final class Stage {
        let loop = TestLoop()
        let test: TestSessions
        let zone: Zone
        let nowPlaying: NowPlayingService
        let seen = Seen()

        final class Seen: NowPlayingDelegate {
            var changes = 0
            /// How commands were answered.
            var answers: [RemoteCommandStatus] = []
            var replies: [PlayerReply] = []

            func nowPlayingChanged() { changes += 1 }
            func sessionCoverMade() {}
        }

        init() throws {
            test = TestSessions(on: loop)
            zone = try test.add("a", .soundServer("x"))
            nowPlaying = NowPlayingService(test.rooms.rooms, test.service, loop: loop, delegate: seen)
        }

        /// A session of a client, which takes some commands and begins to play.
        func open(
            _ commands: Set<RemoteCommand.Kind> = [.play, .pause],
            options: SessionOptions = []
        ) throws -> SessionID {
            let id = try test.service.open(
                "program",
                .normal,
                persistent: false,
                sink: nil,
                for: test.client(1, in: zone)
            )
            let configuration = try SessionConfiguration(category: .playback, options: options)
            try test.service.handle(.configure(id, configuration), of: id)
            try test.service.handle(.activate(id), of: id)
            try test.service.handle(.playing(id, true), of: id)
            if !commands.isEmpty { nowPlaying.setCommands(commands, of: id) }
            return id
        }

        func send(_ kind: RemoteCommand.Kind, to id: SessionID) throws {
            nowPlaying.send(try RemoteCommand(kind), to: id) { [seen] in seen.answers.append($0) }
        }

        /// The zone or the session that is elected.
        var elected: String {
            switch nowPlaying.elected {
            case .zone(let zone): "zone \(zone.name)"
            case .session(let session, _): session.name
            }
        }
    }

    // MARK: Election

    @Test func theLastToBeginIsElected() throws {
        let stage = try Stage()
        #expect(stage.elected == "zone a" && stage.nowPlaying.electedSession == nil, "none has played")
        try stage.zone.play()
        #expect(stage.nowPlaying.electedSession == stage.test.service.zoneSessions["a"]?.id)
        let program = try stage.open()
        #expect(stage.elected == "program" && stage.nowPlaying.electedSession == program)
        // One that pauses is what play means.
        try stage.test.service.handle(.playing(program, false), of: program)
        #expect(stage.elected == "program")
        try stage.zone.setPaused(false)
        #expect(stage.elected == "zone a")
        stage.test.service.close(program)
        #expect(stage.elected == "zone a")
    }

    @Test func oneThatIsClosedGivesItsPlaceBack() throws {
        let stage = try Stage()
        try stage.zone.play()
        let program = try stage.open()
        stage.test.service.close(program)
        stage.nowPlaying.closed(program)
        #expect(stage.elected == "zone a" && stage.nowPlaying.commands(of: program).isEmpty)
    }

    /// Those who mix with others, and those who take no commands, are none.
    @Test func someAreNotEligible() throws {
        let stage = try Stage()
        try stage.zone.play()
        let mute = try stage.open([])
        #expect(stage.elected == "zone a")
        stage.nowPlaying.setCommands([.play], of: mute)
        #expect(stage.elected == "program")
        stage.nowPlaying.setCommands([], of: mute)
        _ = try stage.open(options: .mixWithOthers)
        #expect(stage.elected == "zone a")
    }

    // MARK: Commands

    @Test func anAnswerIsPassedOn() throws {
        let stage = try Stage()
        let id = try stage.open()
        try stage.send(.pause, to: id)
        #expect(stage.seen.answers.isEmpty && stage.test.events.last == "remoteCommand")
        #expect(stage.nowPlaying.session(of: 1) == id)
        stage.loop.pass(0.9)
        stage.nowPlaying.reply(.noSuchContent, to: 1)
        #expect(stage.seen.answers == [.noSuchContent] && stage.nowPlaying.session(of: 1) == nil)
        // It is answered once.
        stage.nowPlaying.reply(.success, to: 1)
        stage.loop.pass(1)
        #expect(stage.seen.answers == [.noSuchContent])
    }

    @Test func oneThatIsNotAnsweredWithinASecondFails() throws {
        let stage = try Stage()
        let id = try stage.open()
        try stage.send(.pause, to: id)
        stage.loop.pass(0.5)
        try stage.send(.play, to: id)
        stage.loop.pass(0.4)
        #expect(stage.seen.answers.isEmpty)
        stage.loop.pass(0.1)
        #expect(stage.seen.answers == [.commandFailed] && stage.nowPlaying.session(of: 1) == nil)
        #expect(stage.nowPlaying.session(of: 2) == id, "the other one has its own second")
        stage.loop.pass(0.5)
        #expect(stage.seen.answers == [.commandFailed, .commandFailed])
        stage.nowPlaying.reply(.success, to: 1)
        #expect(stage.seen.answers.count == 2)
    }

    @Test func aClosedSessionAnswersNothing() throws {
        let stage = try Stage()
        let (id, other) = (try stage.open(), try stage.open())
        for target in [id, id, other] { try stage.send(.pause, to: target) }
        stage.nowPlaying.closed(id)
        #expect(stage.seen.answers == [.commandFailed, .commandFailed])
        stage.nowPlaying.reply(.success, to: 3)
        stage.loop.pass(1)
        #expect(stage.seen.answers == [.commandFailed, .commandFailed, .success])
    }

    @Test func whatASessionDoesNotTakeFailsAtOnce() throws {
        let stage = try Stage()
        let id = try stage.open([.play])
        let events = stage.test.events.count
        try stage.send(.nextTrack, to: id)
        #expect(stage.seen.answers == [.commandFailed] && stage.test.events.count == events)
    }

    /// The bus learns how its command was answered.
    @Test func theBusIsAnswered() throws {
        let stage = try Stage()
        let id = try stage.open()
        func give(_ command: MediaPlayerCommand) throws {
            guard case .session(let session, let player) = stage.nowPlaying.elected else { return }
            stage.nowPlaying.perform(command, session, player) { stage.seen.replies.append($0) }
        }
        try give(.play)
        #expect(stage.seen.replies.count == 1, "it plays already")
        try give(.pause)
        #expect(stage.seen.replies.count == 1)
        stage.nowPlaying.reply(.success, to: 1)
        try give(.pause)
        stage.loop.pass(1)
        #expect(stage.seen.replies.count == 3 && stage.nowPlaying.electedSession == id)
        func isFailure(_ reply: PlayerReply) -> Bool { if case .failure = reply { true } else { false } }
        #expect(stage.seen.replies.map(isFailure) == [false, false, true])
    }

    // MARK: What is told

    /// Where a session is follows from what it told and the time since.
    @Test func elapsedGoesOnWithTime() throws {
        let stage = try Stage()
        let id = try stage.open([.changePlaybackPosition])
        stage.nowPlaying.setInfo(
            try NowPlayingInfo(parsing: ["title", "x", "elapsed", "10", "duration", "60"]),
            of: id
        )
        stage.nowPlaying.played(id)
        stage.loop.pass(20)
        func target() -> String? {
            guard case .session(_, let player) = stage.nowPlaying.elected else { return nil }
            return player.remoteCommand(for: .seek(5), isPlaying: true, at: stage.loop.hostTime)?.value
        }
        #expect(target() == "35")
        try stage.test.service.handle(.playing(id, false), of: id)
        stage.nowPlaying.played(id)
        stage.loop.pass(20)
        #expect(target() == "35", "it is paused")
        #expect(stage.seen.changes >= 3 && stage.nowPlaying.info(of: id).title == "x")
    }
}
