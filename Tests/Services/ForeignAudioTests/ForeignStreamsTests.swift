import AudioSessions
import Glibc
import NIOCore
import Outputs
import ServerBasics
import ServerRooms
import ServerSessions
import ServiceTestSupport
import Settings
import TestSupport
import Testing
import Threads
import Zones

@testable import ForeignAudio
@testable import MPRIS

/// The streams of other programs, as a sound server tells them, and what it is ordered to do with their levels.
@Suite actor ForeignStreamsTests {
    nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe testLoop.executor.asUnownedSerialExecutor() }

    /// An order to a sound server.
    private enum Order: Hashable, Sendable {
        /// Over so many steps of 10 ms.
        case fade(UInt32, StreamLevel, steps: Int)
        case set(UInt32, StreamLevel)
        case remember(String, StreamLevel)
        case limit(Int)
        case flush
    }

    /// The watch over a sound server, which notes its orders.
    private final class Watch: StreamWatch {
        let given: Watched<[Order]>
        /// The number of the last order for a level.
        var number = 0

        init(_ given: Watched<[Order]>) { self.given = given }

        private func note(_ order: Order) { given.withLock { $0.append(order) } }

        func fade(_ index: UInt32, to level: StreamLevel, steps: Int, number: Int) {
            self.number = number
            note(.fade(index, level, steps: steps))
        }

        func set(_ index: UInt32, to level: StreamLevel) { note(.set(index, level)) }
        func remember(_ key: String, _ level: StreamLevel) { note(.remember(key, level)) }
        func limit(to limit: Int) { note(.limit(limit)) }

        func flush(_ done: @escaping @Sendable () -> Void) {
            note(.flush)
            done()
        }
    }

    /// Media players that are asked, and answer when the test does.
    private final class Players: PlayerRemote {
        let asked = Watched<[@Sendable (RemotePlayer?) -> Void]>([])
        var processes: [[Int32]] = []
        var played: [RemotePlayer] = []
        var forgotten: [RemotePlayer] = []

        func pause(_ processes: [Int32], then: @escaping @Sendable (RemotePlayer?) -> Void) {
            self.processes.append(processes)
            asked.withLock { $0.append(then) }
        }

        func play(_ player: RemotePlayer) { played.append(player) }
        func forget(_ player: RemotePlayer) { forgotten.append(player) }
    }

    private final class Told: ForeignDelegate {
        /// `nil` stands for no message bus.
        var players: Players?
        var sessionsOfProcesses: [Int32: [SessionID]] = [:]
        /// The watch at the only sound server, while there is one.
        weak var watch: Watch?
        /// How many streams may be told of, for each watch that was begun.
        var limits: [Int] = []
        var tell: (@Sendable (String, PulseStreamNews) -> Void)?
        let given = Watched<[Order]>([])
        let lines = Watched<[String]>([])

        var playerRemote: (any PlayerRemote)? { players }
        var log: @Sendable (LogLevel, String) -> Void { { [lines] _, line in lines.withLock { $0.append(line) } } }

        func watchStreams(
            limit: Int,
            _ tell: @escaping @Sendable (String, PulseStreamNews) -> Void
        ) -> [String: any StreamWatch] {
            let watch = Watch(given)
            self.watch = watch
            limits.append(limit)
            self.tell = tell
            return ["": watch]
        }
    }

    private final class Stage {
        let test: TestSessions
        let zone: Zone
        let foreign: ForeignStreams
        let folder: TemporaryFolder
        let file: LevelFile
        let loop = TestLoop()
        let told = Told()
        var given: Watched<[Order]> { told.given }
        var lines: Watched<[String]> { told.lines }
        var watch: Watch? { told.watch }

        /// - Parameters:
        ///   - folder: The folder of an earlier server's state.
        ///   - name: The file's name in it.
        init(in folder: TemporaryFolder? = nil, file name: String = "levels", isOn: Bool = true) throws {
            self.folder = try folder ?? TemporaryFolder()
            test = TestSessions(on: loop)
            test.rooms.configuration.value.watchesForeignStreams = isOn
            zone = try test.add("a", .soundServer("x", "k"))
            let work = WorkThreads()
            file = LevelFile(self.folder.file(name), work, loop: loop, log: told.log)
            let foreign = ForeignStreams(
                test.rooms.rooms,
                test.service,
                test.rooms.configuration,
                work,
                loop: loop,
                file: file,
                delegate: told
            )
            self.foreign = foreign
            test.told.foreignSessions = foreign
        }

        func tell(_ news: PulseStreamNews...) {
            for news in news { told.tell?("", news) }
            loop.runReady()
        }

        /// Tells what the last order for a level has come to.
        func report(_ stream: PulseStream, _ level: StreamLevel) {
            var stream = stream
            (stream.level, stream.isLevelSet, stream.isLevelSettled) = (level, true, true)
            stream.order = watch?.number ?? 0
            tell(.changed(stream))
        }

        /// The sessions of other programs.
        var sessions: [AudioSession] { test.service.all.filter { $0.kind == .foreign } }

        func ring() throws -> SessionID {
            try test.service.begin(.init(.call, name: "call", owner: "phone"), in: [zone]).0
        }

        func hangUp(_ call: SessionID) {
            #expect(test.service.endInterruption(call, resume: true))
            loop.runReady()
        }

        /// The file once all that was to be written is on the disk, or removed.
        func written() async -> LevelJournal {
            await withCheckedContinuation { continuation in file.whenWritten { _ in continuation.resume() } }
            return file.read()
        }

        func wait(for order: Order) async throws {
            guard await given.wait(within: .patience, until: { $0.contains(order) }) else {
                throw TestRooms.Missing(what: "\(order); there was \(given.current)")
            }
        }

        func forgetOrders() { given.withLock { $0 = [] } }
    }

    private static func stream(_ index: UInt32 = 7, level: StreamLevel? = nil, process: Int32? = nil) -> PulseStream {
        var stream = PulseStream(index: index, sink: "k", level: level ?? full)
        stream.applicationName = "mpv"
        stream.binary = "mpv"
        stream.restoreKey = "sink-input-by-application-name:mpv"
        stream.process = process
        return stream
    }

    private static let full = StreamLevel([65_536, 50_000])
    private static var ducked: StreamLevel { full.lowered(by: 14) }
    private let player = RemotePlayer(name: "org.mpris.MediaPlayer2.mpv", connection: ":1.7")

    // MARK: Sessions

    @Test func aStreamHasASession() throws {
        let stage = try Stage()
        stage.foreign.start()
        #expect(stage.told.limits == [256] && stage.foreign.report == ("disconnected", 0))
        var stream = Self.stream()
        stage.tell(.changed(stream), .listed)
        #expect(stage.foreign.report == ("watching", 1))
        let session = try #require(stage.sessions.first)
        #expect(session.name == "mpv" && session.owner == "mpv" && session.state == .active && session.isPlaying)
        #expect(stage.test.service.places[session.id] == ["sink:/k"])
        #expect(stage.foreign.stream(of: session.id)?.stream == stream)
        stream.isCorked = true
        stage.tell(.changed(stream))
        #expect(stage.sessions.map(\.state) == [.inactive])
        stage.tell(.gone(index: 7))
        #expect(stage.sessions.isEmpty && stage.foreign.report == ("watching", 0))
    }

    /// A stream whose sink is not known, one that a rule has left alone, and one of Segue's own.
    @Test func thoseWithoutASession() throws {
        let stage = try Stage()
        var ignored = ForeignRule(binary: "speaker-test")
        ignored.isIgnored = true
        stage.test.rooms.configuration.value.foreignRules = [ignored]
        stage.foreign.start()
        var streams = (1...3).map { Self.stream($0) }
        streams[0].sink = nil
        streams[1].binary = "speaker-test"
        streams[2].isOurs = true
        for stream in streams { stage.tell(.changed(stream)) }
        #expect(stage.sessions.isEmpty)
        streams[0].sink = "k"
        stage.tell(.changed(streams[0]))
        #expect(stage.sessions.count == 1)
    }

    @Test func otherRulesMakeOtherSessions() throws {
        let stage = try Stage()
        stage.foreign.start()
        stage.tell(.changed(Self.stream()))
        let first = try #require(stage.sessions.first)
        var rule = ForeignRule(name: "MPV")
        rule.mode = "spokenAudio"
        stage.test.rooms.configuration.value.foreignRules = [rule]
        stage.foreign.configurationChanged()
        let second = try #require(stage.sessions.first)
        #expect(stage.sessions.count == 1 && second.id != first.id)
        #expect(second.configuration.mode == .spokenAudio && second.state == .active)
        // An impossible rule is told of, and the role decides.
        rule.mode = "moviePlayback"
        rule.category = "ambient"
        stage.test.rooms.configuration.value.foreignRules = [rule]
        stage.foreign.configurationChanged()
        #expect(stage.sessions.map(\.configuration) == [first.configuration])
        #expect(stage.lines.current.contains { $0.contains("the [[foreign]] rule for mpv") })
        rule.isIgnored = true
        stage.test.rooms.configuration.value.foreignRules = [rule]
        stage.foreign.configurationChanged()
        #expect(stage.sessions.isEmpty)
    }

    @Test func aStreamThatMovesIsArbitratedThere() throws {
        let stage = try Stage()
        stage.foreign.start()
        var stream = Self.stream()
        stage.tell(.changed(stream))
        _ = try stage.ring()
        #expect(stage.sessions.map(\.state) == [.interrupted])
        stream.sink = "other"
        stage.tell(.changed(stream))
        let session = try #require(stage.sessions.first)
        #expect(session.state == .active && stage.test.service.places[session.id] == ["sink:/other"])
        #expect(stage.foreign.isMuted(session.id) == nil)
    }

    @Test func theLimitIsTheConfigurations() throws {
        let stage = try Stage()
        stage.test.rooms.configuration.value.limits.maxForeignStreams = 3
        stage.foreign.start()
        #expect(stage.told.limits == [3])
        stage.tell(.tooMany)
        #expect(stage.lines.current == ["more than 3 streams of other programs (limits.max-foreign-streams)"])
        stage.test.rooms.configuration.value.limits.maxForeignStreams = 9
        stage.foreign.configurationChanged()
        #expect(stage.given.current == [.limit(9)] && stage.told.limits == [3])
    }

    // MARK: Ducks

    /// The level is on the disk before it is changed, and forgotten once the stream has it again.
    @Test func aDuckIsWrittenDownAndGivenBack() async throws {
        let stage = try Stage()
        stage.foreign.start()
        let stream = Self.stream()
        stage.tell(.changed(stream))
        let prompt = try stage.test.openDucking(stage.test.client(1, in: stage.zone))
        #expect(stage.given.current.isEmpty, "the disk is slower")
        try await stage.wait(for: .fade(7, Self.ducked, steps: 12))
        #expect(stage.file.read().entries.map(\.level) == [Self.full])
        stage.report(stream, Self.ducked)
        #expect(stage.foreign.stream(of: try #require(stage.sessions.first?.id))?.isHeld == true)
        stage.forgetOrders()
        stage.test.service.close(prompt)
        #expect(stage.given.current == [.fade(7, Self.full, steps: 12)])
        #expect(await stage.written().entries.map(\.level) == [Self.full], "not before it has its level")
        stage.report(stream, Self.full)
        #expect(await stage.written().entries.isEmpty)
        #expect(!stage.sessions.isEmpty)
    }

    /// The level that the user sets in a duck stays.
    @Test func aUsersLevelStays() async throws {
        let stage = try Stage()
        stage.foreign.start()
        var stream = Self.stream()
        stage.tell(.changed(stream))
        let prompt = try stage.test.openDucking(stage.test.client(1, in: stage.zone))
        try await stage.wait(for: .fade(7, Self.ducked, steps: 12))
        stage.report(stream, Self.ducked)
        stage.forgetOrders()
        (stream.level, stream.order, stream.isLevelSettled) = (StreamLevel([9_000, 9_000]), 1, true)
        stage.tell(.changed(stream))
        stage.test.service.close(prompt)
        #expect(stage.given.current.isEmpty)
        #expect(await stage.written().entries.isEmpty)
    }

    @Test func aLevelThatCannotBeWrittenDownStays() async throws {
        let folder = try TemporaryFolder()
        try folder.write("file", "x")
        let stage = try Stage(in: folder, file: "file/levels")
        stage.foreign.start()
        stage.tell(.changed(Self.stream()))
        _ = try stage.test.openDucking(stage.test.client(1, in: stage.zone))
        #expect(await stage.lines.wait(within: .patience) { $0.contains { $0.contains("keeps its level") } })
        #expect(stage.lines.current.contains { $0.hasPrefix("cannot write") })
        #expect(stage.given.current.isEmpty && stage.test.events.contains("foreignHeard"))
    }

    // MARK: Interruptions

    /// Without a media player a stream is muted at once, and sounds at the same level when the call is over.
    @Test func aStreamWithoutAPlayerIsMuted() async throws {
        let stage = try Stage()
        stage.foreign.start()
        let stream = Self.stream()
        stage.tell(.changed(stream))
        let call = try stage.ring()
        let session = try #require(stage.sessions.first)
        #expect(session.state == .interrupted && stage.foreign.isMuted(session.id) == true)
        #expect(stage.test.events.contains("foreignMuted"))
        try await stage.wait(for: .fade(7, Self.full.muted, steps: 10))
        stage.report(stream, Self.full.muted)
        stage.forgetOrders()
        stage.hangUp(call)
        #expect(stage.given.current == [.fade(7, Self.full, steps: 10)])
        #expect(stage.sessions.map(\.state) == [.active] && stage.foreign.isMuted(session.id) == nil)
    }

    /// The user who unmutes a stream in a call wants to hear it.
    @Test func anUnmuteIsObeyed() async throws {
        let stage = try Stage()
        stage.foreign.start()
        let stream = Self.stream()
        stage.tell(.changed(stream))
        let call = try stage.ring()
        try await stage.wait(for: .fade(7, Self.full.muted, steps: 10))
        stage.report(stream, Self.full.muted)
        stage.forgetOrders()
        var unmuted = stream
        (unmuted.order, unmuted.isLevelSettled) = (1, true)
        stage.tell(.changed(unmuted))
        let session = try #require(stage.sessions.first)
        #expect(stage.foreign.stream(of: session.id)?.silence == ForeignPlayback.Silence.none)
        stage.hangUp(call)
        #expect(stage.given.current.isEmpty)
        #expect(await stage.written().entries.isEmpty)
    }

    /// A stream of this process, whose media player is asked.
    private func interruptedPlayer(_ stage: Stage) async throws -> (stream: PulseStream, call: SessionID) {
        stage.told.players = Players()
        stage.foreign.start()
        let stream = Self.stream(process: getpid())
        stage.tell(.changed(stream))
        // The process is looked up on a thread.
        #expect(await stage.loop.wait { !stage.sessions.isEmpty })
        return (stream, try stage.ring())
    }

    @Test func aMediaPlayerPausesAndPlaysOn() async throws {
        let stage = try Stage()
        var (stream, call) = try await interruptedPlayer(stage)
        #expect(stage.told.players?.processes.first?.first == getpid())
        #expect(stage.given.current.isEmpty, "it has its time")
        stage.told.players?.asked.current[0](player)
        stage.loop.runReady()
        #expect(stage.test.events.contains("foreignPaused"))
        stream.isCorked = true
        stage.tell(.changed(stream))
        stage.loop.pass(10)
        #expect(stage.sessions.map(\.state) == [.interrupted])
        stage.hangUp(call)
        #expect(stage.told.players?.played == [player] && stage.given.current.isEmpty)
        // It is active once it plays.
        stream.isCorked = false
        stage.tell(.changed(stream))
        #expect(stage.sessions.map(\.state) == [.active])
    }

    /// Many players end their streams when they pause.
    @Test func aPausedPlayerKeepsItsSession() async throws {
        let stage = try Stage()
        let (_, call) = try await interruptedPlayer(stage)
        stage.told.players?.asked.current[0](player)
        stage.loop.runReady()
        stage.tell(.gone(index: 7))
        #expect(stage.sessions.map(\.state) == [.interrupted])
        stage.hangUp(call)
        #expect(stage.told.players?.played == [player] && stage.sessions.isEmpty)
    }

    @Test(arguments: [false, true]) func aPlayerThatPlaysOnIsMuted(answers: Bool) async throws {
        let stage = try Stage()
        let (stream, call) = try await interruptedPlayer(stage)
        if answers { stage.told.players?.asked.current[0](player) }
        stage.loop.pass(0.24)
        #expect(!stage.test.events.contains("foreignMuted"))
        stage.loop.pass(0.01)
        #expect(stage.test.events.contains("foreignMuted"))
        #expect(stage.told.players?.forgotten == (answers ? [player] : []))
        try await stage.wait(for: .fade(7, Self.full.muted, steps: 10))
        // A player that agrees now is paused, and unheard until it is.
        if !answers { stage.told.players?.asked.current[0](player) }
        stage.loop.runReady()
        #expect(stage.told.players?.played == [])
        stage.report(stream, Self.full.muted)
        stage.forgetOrders()
        stage.hangUp(call)
        #expect(stage.told.players?.played == (answers ? [] : [player]))
        #expect(stage.given.current == [.fade(7, Self.full, steps: 10)])
    }

    // MARK: Clients

    /// The stream of a client with a session of its own gets no second session; it is muted if it plays on after its session
    /// was interrupted.
    @Test func aClientsStreamIsMutedAfterItsTime() async throws {
        let stage = try Stage()
        stage.foreign.start()
        stage.test.told.closed = { [unowned stage] in stage.foreign.settleOwnStreams() }
        stage.test.told.clientOpened = { [unowned stage] in stage.foreign.clientOpenedSession() }
        let stream = Self.stream(process: getpid())
        stage.tell(.changed(stream))
        #expect(await stage.loop.wait { !stage.sessions.isEmpty })
        let service = stage.test.service
        let client = stage.test.client(1, in: stage.zone)
        let id = try service.open("film", .normal, persistent: false, sink: nil, for: client)
        stage.told.sessionsOfProcesses = [getpid(): [id]]
        stage.foreign.clientOpenedSession()
        #expect(stage.sessions.isEmpty)
        try service.handle(.activate(id), of: id)
        try service.handle(.playing(id, true), of: id)
        let call = try stage.ring()
        #expect(service.session(id)?.state == .interrupted)
        // The fade, and a quarter of a second.
        stage.loop.pass(0.34)
        #expect(stage.lines.current.isEmpty)
        stage.loop.pass(0.01)
        #expect(stage.lines.current == ["mpv is muted: its session is interrupted, and it plays on"])
        try await stage.wait(for: .fade(7, Self.full.muted, steps: 10))
        stage.report(stream, Self.full.muted)
        stage.forgetOrders()
        stage.hangUp(call)
        try service.handle(.activate(id), of: id)
        stage.foreign.settleOwnStreams()
        #expect(stage.given.current == [.fade(7, Self.full, steps: 10)])
    }

    @Test func aClientThatFallsSilentIsLeftAlone() async throws {
        let stage = try Stage()
        var stream = Self.stream(process: getpid())
        let service = stage.test.service
        let client = stage.test.client(1, in: stage.zone)
        let id = try service.open("film", .normal, persistent: false, sink: nil, for: client)
        stage.told.sessionsOfProcesses = [getpid(): [id]]
        try service.handle(.activate(id), of: id)
        try service.handle(.playing(id, true), of: id)
        _ = try stage.ring()
        stage.foreign.start()
        stage.tell(.changed(stream))
        #expect(await stage.loop.wait(forTimers: 1))
        stream.isCorked = true
        stage.tell(.changed(stream))
        stage.foreign.settleOwnStreams()
        stage.loop.pass(10)
        #expect(stage.given.current.isEmpty && stage.lines.current.isEmpty && stage.sessions.isEmpty)
    }

    // MARK: Ends

    /// A stream that ends in a duck leaves its level in the sound server's memory, and the next one of its name gets the
    /// original back.
    @Test func theNextStreamGetsTheLevelBack() async throws {
        let stage = try Stage()
        stage.foreign.start()
        let stream = Self.stream()
        stage.tell(.changed(stream))
        let prompt = try stage.test.openDucking(stage.test.client(1, in: stage.zone))
        try await stage.wait(for: .fade(7, Self.ducked, steps: 12))
        stage.report(stream, Self.ducked)
        stage.forgetOrders()
        stage.tell(.gone(index: 7))
        let key = try #require(stream.restoreKey)
        #expect(stage.given.current == [.remember(key, Self.full)] && stage.sessions.isEmpty)
        stage.test.service.close(prompt)
        let next = Self.stream(8, level: Self.ducked)
        stage.tell(.changed(next))
        #expect(stage.given.current.last == .fade(8, Self.full, steps: 12))
        stage.report(next, Self.full)
        #expect(await stage.written().entries.isEmpty)
    }

    @Test func whatTheServerRemembersIsForgottenHere() async throws {
        let stage = try Stage()
        stage.foreign.start()
        let stream = Self.stream()
        stage.tell(.changed(stream))
        _ = try stage.test.openDucking(stage.test.client(1, in: stage.zone))
        try await stage.wait(for: .fade(7, Self.ducked, steps: 12))
        stage.tell(.gone(index: 7))
        #expect(await stage.written().entries.count == 1)
        stage.tell(.remembered(key: try #require(stream.restoreKey)))
        #expect(await stage.written().entries.isEmpty)
    }

    /// All streams go with their sound server; another one has the same number after its restart.
    @Test func aSoundServerThatGoes() async throws {
        let stage = try Stage()
        stage.foreign.start()
        let stream = Self.stream()
        stage.tell(.changed(stream), .changed(Self.stream(9)), .listed)
        _ = try stage.test.openDucking(stage.test.client(1, in: stage.zone))
        try await stage.wait(for: .fade(9, Self.ducked, steps: 12))
        let before = stage.sessions.map(\.id)
        stage.tell(.lost)
        #expect(stage.sessions.isEmpty && stage.foreign.report == ("disconnected", 0))
        stage.forgetOrders()
        stage.tell(.changed(stream), .listed)
        #expect(stage.foreign.report == ("watching", 1) && !before.contains(stage.sessions.map(\.id)[0]))
        try await stage.wait(for: .fade(7, Self.ducked, steps: 12))
    }

    /// A player that is paused when its sound server goes plays on when nothing interrupts it.
    @Test func aPausedPlayerOutlivesItsSoundServer() async throws {
        let stage = try Stage()
        let (_, call) = try await interruptedPlayer(stage)
        stage.told.players?.asked.current[0](player)
        stage.loop.runReady()
        stage.tell(.lost)
        #expect(stage.sessions.map(\.state) == [.interrupted])
        stage.hangUp(call)
        #expect(stage.told.players?.played == [player] && stage.sessions.isEmpty)
    }

    @Test func whenItIsSwitchedOffLevelsAreGivenBack() async throws {
        let stage = try Stage()
        stage.foreign.start()
        let stream = Self.stream()
        stage.tell(.changed(stream))
        _ = try stage.test.openDucking(stage.test.client(1, in: stage.zone))
        try await stage.wait(for: .fade(7, Self.ducked, steps: 12))
        stage.report(stream, Self.ducked)
        stage.forgetOrders()
        stage.test.rooms.configuration.value.watchesForeignStreams = false
        stage.foreign.configurationChanged()
        #expect(stage.sessions.isEmpty && stage.foreign.report == ("off", 0))
        #expect(stage.given.current.last == .fade(7, Self.full, steps: 12))
        #expect(stage.watch != nil, "until the stream has its level")
        stage.report(stream, Self.full)
        #expect(stage.watch == nil)
        #expect(await stage.written().entries.isEmpty)
        // The streams can be watched again.
        stage.test.rooms.configuration.value.watchesForeignStreams = true
        stage.foreign.configurationChanged()
        #expect(stage.told.limits.count == 2 && stage.watch != nil)
    }

    @Test func theEndGivesEverythingBack() async throws {
        let stage = try Stage()
        stage.told.players = Players()
        stage.foreign.start()
        stage.tell(.changed(Self.stream(9)), .changed(Self.stream(process: getpid())))
        #expect(await stage.loop.wait { stage.sessions.count == 2 })
        _ = try stage.ring()
        #expect(stage.told.players?.processes.count == 1)
        stage.told.players?.asked.current[0](player)
        stage.loop.runReady()
        try await stage.wait(for: .fade(9, Self.full.muted, steps: 10))
        stage.forgetOrders()
        let ended = Watched(false)
        stage.foreign.close { ended.withLock { $0 = true } }
        #expect(stage.told.players?.played == [player])
        #expect(stage.given.current == [.set(9, Self.full), .flush])
        #expect(await ended.wait(within: .patience) { $0 })
        #expect(stage.file.read().entries.isEmpty)
    }

    /// A server that was killed in a duck gives levels back when it runs again, also where streams are watched no more.
    @Test(arguments: [false, true]) func levelsAreGivenBackAfterACrash(isOn: Bool) async throws {
        let folder = try TemporaryFolder()
        try await duck(in: folder)
        let stage = try Stage(in: folder, isOn: isOn)
        stage.foreign.start()
        #expect(stage.told.limits.count == 1)
        let stream = Self.stream(70, level: Self.ducked)
        stage.tell(.changed(stream), .listed)
        #expect(stage.given.current == [.fade(70, Self.full, steps: 12)])
        #expect(stage.sessions.count == (isOn ? 1 : 0))
        stage.report(stream, Self.full)
        #expect(await stage.written().entries.isEmpty)
        #expect((stage.watch != nil) == isOn)
        // Nothing is watched where nothing is left.
        let last = try Stage(in: folder, isOn: false)
        last.foreign.start()
        #expect(last.told.limits.isEmpty)
    }

    /// Leaves a file as a crash does.
    private func duck(in folder: TemporaryFolder) async throws {
        let stage = try Stage(in: folder)
        stage.foreign.start()
        stage.tell(.changed(Self.stream()))
        _ = try stage.test.openDucking(stage.test.client(1, in: stage.zone))
        try await stage.wait(for: .fade(7, Self.ducked, steps: 12))
    }

    /// A user who has turned a stream up since does not want the old level.
    @Test func aLouderStreamKeepsItsLevel() async throws {
        let folder = try TemporaryFolder()
        try await duck(in: folder)
        let stage = try Stage(in: folder)
        stage.foreign.start()
        stage.tell(.changed(Self.stream(70, level: StreamLevel([70_000, 70_000]))))
        #expect(stage.given.current.isEmpty)
        #expect(await stage.written().entries.isEmpty)
    }
}
