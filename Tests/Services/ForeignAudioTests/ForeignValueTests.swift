import AudioSessions
import MPRIS
import Outputs
import Settings
import StateStore
import Testing

@testable import ForeignAudio

/// What other programs' streams are, and what is done to them, without a sound server.
@Suite struct ForeignValueTests {
    private static func stream(
        _ name: String = "mpv",
        binary: String = "mpv",
        role: String = "",
        level: StreamLevel = StreamLevel([65_536, 65_536])
    ) -> PulseStream {
        var stream = PulseStream(index: 7, sink: "k", level: level)
        stream.applicationName = name
        stream.applicationID = "org.example.Player"
        stream.binary = binary
        stream.role = role
        stream.restoreKey = "sink-input-by-application-name:\(name)"
        return stream
    }

    // MARK: Roles and rules

    @Test(arguments: [
        ("phone", SessionClass.call, "playAndRecord", "voiceChat", ["allowBluetoothHFP"]),
        ("event", .normal, "ambient", "default", ["mixWithOthers"]),
        ("notification", .normal, "ambient", "default", ["mixWithOthers"]),
        (
            "a11y", .normal, "playback", "voicePrompt",
            ["mixWithOthers", "duckOthers", "interruptSpokenAudioAndMixWithOthers"]
        ),
        ("music", .normal, "playback", "default", ["mixWithOthers"]),
        ("", .normal, "playback", "default", ["mixWithOthers"]),
    ])
    func theRoleDecides(
        role: String,
        sessionClass: SessionClass,
        category: String,
        mode: String,
        options: [String]
    ) throws {
        let treatment = try ForeignTreatment(of: Self.stream(role: role), by: [])
        #expect(treatment == ForeignTreatment(of: Self.stream(role: role)))
        let expected = try SessionConfiguration(named: category, mode: mode, options: options)
        #expect(treatment == .session(sessionClass, expected))
    }

    @Test func theFirstRuleThatMatchesCounts() throws {
        var ignored = ForeignRule(binary: "speaker-test")
        ignored.isIgnored = true
        var exclusive = ForeignRule(name: "ORG.example.player")
        exclusive.options = []
        var speech = ForeignRule(name: "mpv", role: "music")
        speech.mode = "spokenAudio"
        let rules = [ignored, speech, exclusive]
        #expect(try ForeignTreatment(of: Self.stream(binary: "speaker-test"), by: rules) == .ignored)
        let plain = try SessionConfiguration(category: .playback)
        #expect(try ForeignTreatment(of: Self.stream("x"), by: rules) == .session(.normal, plain))
        let spoken = try SessionConfiguration(category: .playback, mode: .spokenAudio, options: .mixWithOthers)
        #expect(try ForeignTreatment(of: Self.stream(role: "music"), by: rules) == .session(.normal, spoken))
        // Both must be so.
        #expect(try ForeignTreatment(of: Self.stream(role: "video"), by: rules) == .session(.normal, plain))
    }

    @Test func anImpossibleRuleSaysWhy() {
        var rule = ForeignRule(role: "music")
        rule.category = "ambient"
        rule.mode = "moviePlayback"
        #expect(throws: SessionError.self) { try ForeignTreatment(of: Self.stream(role: "music"), by: [rule]) }
    }

    // MARK: Levels

    private let full = StreamLevel([65_536, 65_536])
    private var ducked: StreamLevel { full.lowered(by: 14) }

    @Test func aDuckGivesBackWhatWas() {
        var level = HeldLevel(full)
        #expect(level.want(.lowered(14)) == .hold(original: full, ducked))
        #expect(level.want(.lowered(14)) == .nothing)
        #expect(level.report(ducked, isSet: true) == .nothing)
        #expect(level.want(.none) == .giveBack(full))
        #expect(level.report(ducked, isSet: true) == .nothing, "on the way")
        #expect(level.report(full, isSet: true) == .forget)
        #expect(level.original == nil)
    }

    /// The level that the user sets meanwhile stays, and is what the next duck begins with.
    @Test func aUsersChangeRebases() {
        var level = HeldLevel(full)
        _ = level.want(.lowered(14))
        let users = StreamLevel([30_000, 30_000])
        #expect(level.report(users, isSet: false) == .forget)
        #expect(level.want(.none) == .nothing)
        #expect(level.want(.muted) == .hold(original: users, users.muted))
        #expect(level.report(users.muted, isSet: true) == .nothing)
        #expect(level.report(users, isSet: false) == .forget, "the user has unmuted it")
        #expect(level.want(.lowered(14)) == .hold(original: users, users.lowered(by: 14)))
    }

    /// A duck that ends before anything was changed leaves nothing behind, and what is reported again is not the user's.
    @Test func aDuckThatIsTakenBackAtOnce() {
        var level = HeldLevel(full)
        _ = level.want(.lowered(14))
        #expect(level.report(full, isSet: false) == .nothing)
        #expect(level.original == full)
        #expect(level.want(.none) == .giveBack(full))
        #expect(level.report(full, isSet: true) == .forget)
        _ = level.want(.lowered(14))
        _ = level.want(.none)
        #expect(level.report(full, isSet: true, .ordered) == .nothing, "older than the order")
        #expect(level.report(StreamLevel([60_000, 60_000]), isSet: true, .begun) == .nothing)
        #expect(level.want(.lowered(14)) == .hold(original: full, ducked), "the step on the way is no original")
        let users = StreamLevel([30_000, 30_000])
        #expect(level.report(users, isSet: false, .ordered) == .hold(original: users, users.lowered(by: 14)))
        level.abandon()
        #expect(level.want(.none) == .nothing)
    }

    @Test func aDuckBecomesAMuteAndBack() {
        var level = HeldLevel(full)
        _ = level.want(.lowered(14))
        #expect(level.want(.muted) == .hold(original: full, full.muted))
        #expect(level.want(.lowered(14)) == .hold(original: full, ducked))
        #expect(level.want(.none) == .giveBack(full))
        // Before it is back, another duck begins with the same level.
        #expect(level.want(.lowered(14)) == .hold(original: full, ducked))
    }

    @Test func whatTheUserMutedStaysSo() {
        var level = HeldLevel(full.muted)
        #expect(level.want(.lowered(14)) == .nothing)
        #expect(level.want(.none) == .nothing)
    }

    @Test func anInheritedLevelIsGivenBack() {
        var level = HeldLevel(ducked, inherited: full)
        #expect(level.begin() == .giveBack(full))
        #expect(level.want(.lowered(14)) == .hold(original: full, ducked))
        #expect(level.want(.none) == .giveBack(full))
        #expect(level.report(full, isSet: true) == .forget)
        var plain = HeldLevel(full)
        #expect(plain.begin() == .nothing)
    }

    // MARK: The journal

    @Test func theJournalOutlivesTheProcess() {
        var journal = LevelJournal()
        #expect(journal.record(full, of: "a \"b\"\n", 1, at: "tcp:box") == true)
        #expect(journal.record(full, of: "a \"b\"\n", 1, at: "tcp:box") == false)
        #expect(journal.record(StreamLevel([1, 2, 3], isMuted: true), of: "c", 2, at: "") == true)
        let read = LevelJournal(parsing: journal.bytes)
        #expect(read.entries.map(\.key) == ["a \"b\"\n", "c"])
        #expect(read.entries.map(\.level) == journal.entries.map(\.level))
        #expect(read.entries.allSatisfy { $0.index == nil })
    }

    @Test(arguments: [
        "", "level", "level a b 0 1,x", "level a b 2 1", "level a b 0 ,", "volume a b 0 1", "level a b 0 99999999999",
        "\u{0}\u{1}", "level \"a b 0 1",
    ])
    func whatIsNoEntryIsLeftOut(line: String) {
        #expect(LevelJournal(parsing: Array((line + "\nlevel \"\" k 0 5,6\n").utf8)).entries.map(\.key) == ["k"])
    }

    @Test func theNextStreamOfThatNameInherits() {
        let stream = Self.stream(level: ducked)
        var journal = LevelJournal()
        _ = journal.record(full, of: stream.restoreKey ?? "", 3, at: "")
        #expect(journal.inheritance(of: stream, at: "") == nil, "the earlier one still plays")
        #expect(journal.streamIsGone(3, at: "")?.level == full)
        #expect(journal.inheritance(of: stream, at: "") == full)
        #expect(journal.inheritance(of: stream, at: "tcp:elsewhere") == nil)
        #expect(journal.inheritance(of: Self.stream(level: StreamLevel([70_000, 70_000])), at: "") == nil)
        #expect(journal.inheritance(of: Self.stream(level: full), at: "") == nil)
        #expect(journal.inheritance(of: Self.stream(level: full.muted), at: "") == full)
        #expect(journal.inheritance(of: Self.stream(level: StreamLevel([9])), at: "") == StreamLevel([65_536]))
        #expect(journal.inheritance(of: Self.stream("other", level: ducked), at: "") == nil)
        #expect(journal.forget(stream.restoreKey ?? "", 7, at: "") == true)
        #expect(journal.entries.isEmpty)
    }

    @Test func theJournalIsBounded() {
        var journal = LevelJournal()
        for index in 0..<UInt32(LevelJournal.limit) { #expect(journal.record(full, of: "k", index, at: "") == true) }
        #expect(
            journal.record(full, of: "k", 9_999, at: "") == nil,
            "a stream that cannot be written down is left alone"
        )
        _ = journal.streamIsGone(5, at: "")
        #expect(journal.record(full, of: "k", 9_999, at: "") == true)
        #expect(journal.entries.count == LevelJournal.limit)
        let many = Array(String(repeating: "level \"\" k 0 1\n", count: 10_000).utf8)
        #expect(LevelJournal(parsing: many).entries.count == LevelJournal.limit)
    }

    // MARK: Silence

    @Test func aStreamPlaysAndStops() {
        var playback = ForeignPlayback()
        #expect(playback.streamChanged(isPlaying: true, isInterrupted: false) == [.activate, .settle])
        #expect(playback.streamChanged(isPlaying: true, isInterrupted: false) == [])
        #expect(playback.streamChanged(isPlaying: false, isInterrupted: false) == [.deactivate])
        #expect(playback.streamEnded(isInterrupted: false) == [.close])
    }

    @Test func withoutAPlayerAStreamIsMuted() {
        var playback = ForeignPlayback()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        #expect(playback.interrupted() == [.ask(attempt: 1)])
        #expect(playback.hold(nil, gain: 0) == HeldLevel.Hold.none)
        #expect(playback.answered(1, by: nil) == [.settle])
        #expect(playback.silence == .muted)
        #expect(playback.patienceEnded(1) == [])
        #expect(playback.released(shouldResume: true) == [.settle])
        #expect(playback.silence == .none)
    }

    /// A muted stream plays on, so it is active again even where a player would not resume.
    @Test func aMutedStreamIsHeardAgainInAnyCase() {
        var playback = ForeignPlayback()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        _ = playback.interrupted()
        _ = playback.answered(1, by: nil)
        #expect(playback.released(shouldResume: false) == [.settle, .activate])
    }

    @Test func aPlayerThatDoesNotAnswerIsMuted() {
        var playback = ForeignPlayback()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        _ = playback.interrupted()
        #expect(playback.patienceEnded(1) == [.settle])
        #expect(playback.silence == .asking(isMuted: true))
        #expect(playback.patienceEnded(7) == [])
        #expect(playback.answered(1, by: nil) == [])
        #expect(playback.silence == .muted)
    }

    /// A player that pauses late is paused all the same, and the stream is muted only until it stops.
    @Test(arguments: [true, false]) func aPlayerThatAnswersLateIsPaused(_ stopsFirst: Bool) {
        let player = RemotePlayer(name: "org.mpris.MediaPlayer2.slow", connection: ":1.7")
        var playback = ForeignPlayback()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        _ = playback.interrupted()
        _ = playback.patienceEnded(1)
        if stopsFirst {
            #expect(playback.streamChanged(isPlaying: false, isInterrupted: true) == [], "that is not the user's pause")
            #expect(playback.silence.isMuted)
            #expect(playback.answered(1, by: player) == [.settle])
        } else {
            #expect(playback.answered(1, by: player) == [])
            #expect(playback.silence.isMuted)
            #expect(playback.streamChanged(isPlaying: false, isInterrupted: true) == [.settle])
        }
        #expect(playback.silence == .paused(player, isMuted: false))
        #expect(playback.released(shouldResume: true) == [.play(player)])
    }

    /// Its stream may have ended with the pause, or play on although it has agreed.
    @Test func aLatePlayerWhoseStreamEndsOrGoesOn() {
        let player = RemotePlayer(name: "org.mpris.MediaPlayer2.slow", connection: ":1.7")
        var playback = ForeignPlayback()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        _ = playback.interrupted()
        _ = playback.patienceEnded(1)
        var other = playback
        #expect(playback.streamEnded(isInterrupted: true) == [])
        #expect(playback.answered(1, by: player) == [.settle])
        #expect(playback.released(shouldResume: true) == [.play(player), .close])
        _ = other.answered(1, by: player)
        #expect(other.released(shouldResume: false) == [.leave(player), .settle, .activate])
    }

    /// A stream that its user pauses while its program is asked in vain does not resume.
    @Test func aPauseDuringTheQuestionIsTheUsers() {
        var playback = ForeignPlayback()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        _ = playback.interrupted()
        #expect(playback.streamChanged(isPlaying: false, isInterrupted: true) == [])
        #expect(playback.answered(1, by: nil) == [.stayPaused])
        #expect(playback.silence == .none)
    }

    @Test func aUsersPauseAndUnmuteCount() {
        var playback = ForeignPlayback()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        _ = playback.interrupted()
        _ = playback.answered(1, by: nil)
        #expect(playback.unmuted() == [.activate])
        #expect(playback.unmuted() == [])
        _ = playback.interrupted()
        _ = playback.answered(2, by: nil)
        #expect(playback.streamChanged(isPlaying: false, isInterrupted: true) == [.stayPaused])
        #expect(playback.streamChanged(isPlaying: true, isInterrupted: true) == [.activate, .settle])
    }

    /// What a player answers to the question of an earlier session does not count for a later one.
    @Test func anAnswerToAnEarlierSessionComesTooLate() {
        var playback = ForeignPlayback()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        _ = playback.interrupted()
        playback.reset()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        #expect(playback.interrupted() == [.ask(attempt: 2)])
        #expect(playback.answered(1, by: nil) == [])
        #expect(playback.silence == .asking(isMuted: false))
    }

    @Test func aStreamThatEndsMutedIsForgotten() {
        var playback = ForeignPlayback()
        _ = playback.streamChanged(isPlaying: true, isInterrupted: false)
        _ = playback.interrupted()
        _ = playback.answered(1, by: nil)
        #expect(playback.streamEnded(isInterrupted: true) == [.close])
    }
}
