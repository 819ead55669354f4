import NowPlaying
import Testing

/// Row 122 of the model: who is now playing.
struct NowPlayingElectionTests {
    private func elected(_ election: NowPlayingElection<String>, without: Set<String> = []) -> String? {
        election.elected { !without.contains($0) }
    }

    @Test func theLastThatBegan() {
        var election = NowPlayingElection<String>()
        #expect(elected(election) == nil)
        election.record("a", isPlaying: true)
        election.record("b", isPlaying: true)
        #expect(elected(election) == "b")
        // One that says again that it plays does not begin again.
        election.record("a", isPlaying: true)
        #expect(elected(election) == "b")
    }

    @Test func stickyWhilePaused() {
        var election = NowPlayingElection<String>()
        election.record("a", isPlaying: true)
        election.record("b", isPlaying: true)
        election.record("b", isPlaying: false)
        #expect(elected(election) == "b")
        election.record("a", isPlaying: false)
        election.record("a", isPlaying: true)
        #expect(elected(election) == "a")
    }

    @Test func fallsBackOnClose() {
        var election = NowPlayingElection<String>()
        for name in ["a", "b", "c"] { election.record(name, isPlaying: true) }
        election.remove("c")
        #expect(elected(election) == "b")
        election.remove("b")
        election.remove("a")
        #expect(elected(election) == nil)
    }

    @Test func onlyTheEligible() {
        var election = NowPlayingElection<String>()
        election.record("a", isPlaying: true)
        election.record("b", isPlaying: true)
        #expect(elected(election, without: ["b"]) == "a")
        #expect(elected(election, without: ["a", "b"]) == nil)
    }
}

struct NowPlayingInfoTests {
    @Test func keysAndValues() throws {
        let words = [
            "title", "So What", "artist", "Miles Davis", "artist", "Bill Evans", "duration", "562.5", "elapsed", "3",
            "rate", "1", "queueindex", "0", "queuecount", "5", "live", "1", "artwork", "/a.jpg",
        ]
        let info = try NowPlayingInfo(parsing: words)
        #expect(info.artists == ["Miles Davis", "Bill Evans"])
        #expect(info.duration == 562.5)
        #expect(info.isLive)
        #expect(try NowPlayingInfo(parsing: info.lines.flatMap { ["\($0.key)", $0.value] }) == info)
        #expect(try NowPlayingInfo(parsing: []).isEmpty)
    }

    @Test(arguments: [
        ["title"], ["colour", "red"], ["title", ""], ["duration", "-1"], ["duration", "nan"], ["duration", "1e300"],
        ["track", "-1"], ["track", "1.5"], ["track", "9223372036854775808"], ["live", "yes"], ["rate", "inf"],
        ["title", String(repeating: "a", count: 4_097)],
        Array(repeating: ["artist", "a"], count: 33).flatMap(\.self),
    ])
    func refusals(words: [String]) {
        #expect(throws: NowPlayingError.self) { try NowPlayingInfo(parsing: words) }
    }

    @Test func commandsTakeTheirValues() throws {
        #expect(try RemoteCommand(.play).value == nil)
        #expect(try RemoteCommand(.skipForward, "15").value == "15")
        #expect(try RemoteCommand(.like).value == nil)
        #expect(try RemoteCommand(.like, "1").value == "1")
        #expect(try RemoteCommand(.changeRepeatMode, "one").value == "one")
        let refused: [(RemoteCommand.Kind, String?)] = [
            (.play, "1"), (.skipForward, nil), (.skipForward, "-1"), (.skipForward, "nan"), (.like, "2"),
            (.changeRepeatMode, "ever"), (.seekForward, "begin"), (.changePlaybackPosition, "1e300"),
            (.enableLanguageOption, ""),
        ]
        for (kind, value) in refused {
            #expect(throws: NowPlayingError.self, "\(kind) \(value ?? "")") { try RemoteCommand(kind, value) }
        }
        #expect(RemoteCommand(.skipForward, number: 15).value == "15")
    }

    @Test func tokensAreAnsweredOnce() {
        var pending = PendingCommands<String, Int>()
        let first = pending.enter(1, for: "a")
        let second = pending.enter(2, for: "b")
        #expect(first.flatMap { pending.session(of: $0) } == "a")
        #expect(first.flatMap { pending.take($0) } == 1)
        #expect(first.flatMap { pending.take($0) } == nil)
        #expect(pending.takeAll(of: "b") == [2])
        #expect(second.flatMap { pending.take($0) } == nil)
        while pending.enter(3, for: "c") != nil {}
        #expect(pending.takeAll(of: "c").count == PendingCommands<String, Int>.limit)
    }
}
