import AudioSessions
import Testing

/// Section 2.4, step by step (rows 22, 38 and 39).
@Suite struct NestingTests {
    /// A, interrupted by B, interrupted by C.
    private static func nest() throws -> (Scene, a: SessionID, b: SessionID, c: SessionID) {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.play("B")
        let c = try scene.play("C")
        return (scene, a, b, c)
    }

    @Test func oneAfterAnother() throws {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.open("B")
        #expect(scene.notices(try scene.send(.activate(b))) == ["A inactive system 0", "A began 0", "B active"])
        try scene.send(.playing(b, true))
        let c = try scene.open("C")
        #expect(scene.notices(try scene.send(.activate(c))) == ["B inactive system 0", "B began 0", "C active"])
        #expect(scene.arbiter[a]?.interruptedBy == [b])
        #expect(scene.arbiter[b]?.interruptedBy == [c])
        #expect(
            scene.notices(try scene.send(.deactivate(c, notifyOthers: true)))
                == ["C inactive app", "B ended resume", "B recommended 1"]
        )
        #expect(scene.arbiter.nextDeadline == scene.now + scene.arbiter.policy.grace)
        #expect(scene.notices(try scene.send(.activate(b))) == ["B active"])
        #expect(scene.arbiter.nextDeadline == nil)
        #expect(
            scene.notices(try scene.send(.deactivate(b, notifyOthers: true)))
                == ["B inactive app", "A ended resume", "A recommended 1"]
        )
    }

    /// The alternative: B does not come back in time.
    @Test func theMiddleDoesNotComeBack() throws {
        var (scene, a, _, c) = try Self.nest()
        try scene.send(.deactivate(c, notifyOthers: true))
        let deadline = try #require(scene.arbiter.nextDeadline)
        #expect(scene.arbiter.expire(at: deadline - 0.1) == [])
        #expect(scene.state(a) == .interrupted)
        #expect(scene.notices(scene.wait()) == ["B recommended 0", "A ended resume", "A recommended 1"])
        #expect(scene.arbiter.nextDeadline == nil)
        #expect(scene.arbiter.expire(at: deadline + 100) == [])
    }

    /// The alternative: B gives up, or dies, while it is interrupted; A waits for C then.
    @Test(arguments: [true, false], [true, false])
    func theMiddleGivesUp(dies: Bool, notify: Bool) throws {
        var (scene, a, b, c) = try Self.nest()
        #expect(
            scene.notices(try scene.send(dies ? .close(b) : .deactivate(b, notifyOthers: false)))
                == (dies ? [] : ["B ended"])
        )
        #expect(scene.arbiter[a]?.interruptedBy == [c])
        let effects = try scene.send(.deactivate(c, notifyOthers: notify))
        #expect(scene.notices(effects, of: a).first == (notify ? "ended resume" : "ended"))
    }

    /// B was told to come back, and dies, gives up or is stopped by its user instead.
    @Test(arguments: [
        SessionEvent.close(SessionID(2)), .deactivate(SessionID(2), notifyOthers: false),
        .playing(SessionID(2), false),
    ])
    func theMiddleChangesItsMind(event: SessionEvent) throws {
        var (scene, _, _, c) = try Self.nest()
        try scene.send(.deactivate(c, notifyOthers: true))
        #expect(scene.notices(try scene.send(event)) == ["A ended resume", "A recommended 1"])
        #expect(scene.arbiter.nextDeadline == nil)
    }

    /// C notifies no other session: B is not to come back, so A is let go too, likewise.
    @Test func theInnermostEndsWithoutNotice() throws {
        var (scene, _, _, c) = try Self.nest()
        #expect(
            scene.notices(try scene.send(.deactivate(c, notifyOthers: false)))
                == ["C inactive app", "B ended", "B recommended 0", "A ended", "A recommended 0"]
        )
    }

    /// B was paused, so it is not to come back, and A goes on at once.
    @Test func theMiddleWasPaused() throws {
        var scene = Scene()
        _ = try scene.play("A")
        let b = try scene.open("B")
        try scene.send(.activate(b))
        let c = try scene.play("C")
        #expect(
            scene.notices(try scene.send(.deactivate(c, notifyOthers: true)))
                == ["C inactive app", "B ended", "B recommended 0", "A ended resume", "A recommended 1"]
        )
    }

    /// A(spoken) interrupted by two prompts: one began, and one end when both are through.
    @Test(arguments: [true, false])
    func twoPrompts(inOrder: Bool) throws {
        var scene = Scene()
        let book = try scene.play("book", mode: .spokenAudio)
        let options: SessionOptions = [.interruptSpokenAudioAndMixWithOthers, .duckOthers]
        let first = try scene.open("P1", .playback, options, mode: .voicePrompt)
        #expect(scene.notices(try scene.send(.activate(first)), of: book) == ["inactive system 0", "began 0"])
        let second = try scene.open("P2", .playback, options, mode: .voicePrompt)
        #expect(scene.notices(try scene.send(.activate(second)), of: book) == [])
        #expect(scene.arbiter[book]?.interruptedBy == [first, second])
        let ends = inOrder ? [first, second] : [second, first]
        #expect(scene.notices(try scene.send(.deactivate(ends[0], notifyOthers: true)), of: book) == [])
        #expect(
            scene.notices(try scene.send(.deactivate(ends[1], notifyOthers: true)), of: book)
                == ["ended resume", "recommended 1"]
        )
        // Row 25: nothing ducks it when it resumes.
        #expect(scene.notices(try scene.send(.activate(book))) == ["book active"])
        #expect(scene.arbiter[book]?.isDucked == false)
    }

    /// Row 22: two duckers, one dip.
    @Test func twoDuckers() throws {
        var scene = Scene()
        let music = try scene.play("music")
        let first = try scene.open("D1", .playback, .duckOthers)
        let second = try scene.open("D2", .playback, .duckOthers)
        #expect(scene.acts(try scene.send(.activate(first)), on: music) == ["duck"])
        #expect(scene.acts(try scene.send(.activate(second)), on: music) == [])
        #expect(scene.acts(try scene.send(.close(first)), on: music) == [])
        #expect(scene.acts(try scene.send(.deactivate(second, notifyOthers: true)), on: music) == ["unduck"])
    }

    /// A activates while B interrupts it: no cycle, whatever they do in turn.
    @Test func takingTurns() throws {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.play("B")
        for _ in 0..<3 {
            try scene.send(.activate(a))
            #expect(scene.arbiter[a]?.interruptedBy == [] && scene.arbiter[b]?.interruptedBy == [a])
            try scene.send(.activate(b))
            #expect(scene.arbiter[b]?.interruptedBy == [] && scene.arbiter[a]?.interruptedBy == [b])
        }
    }

    /// Another session starts while B is awaited: A does not interrupt it when the wait is over.
    @Test func somebodyTakesThePlaceMeanwhile() throws {
        var (scene, a, _, c) = try Self.nest()
        try scene.send(.deactivate(c, notifyOthers: true))
        let d = try scene.play("D")
        #expect(scene.notices(scene.wait()) == ["B recommended 0"])
        #expect(scene.arbiter[a]?.interruptedBy == [d])
        #expect(
            scene.notices(try scene.send(.deactivate(d, notifyOthers: true)), of: a)
                == ["ended resume", "recommended 1"]
        )
    }

    /// Another session starts while a call goes on: what the call interrupted waits for it.
    @Test func somebodyTakesThePlaceDuringACall() throws {
        var scene = Scene()
        let music = try scene.play("music", kind: .zone)
        let call = try scene.begin("call", .call)
        let radio = try scene.play("radio")
        #expect(scene.notices(try scene.send(.endSystemInterruption(call, resume: true)), of: music) == [])
        #expect(scene.arbiter[music]?.interruptedBy == [radio])
        let effects = try scene.send(.deactivate(radio, notifyOthers: true))
        #expect(scene.acts(effects, on: music) == ["end resume", "resume"])
    }

    /// A second call begins before the first ends: nothing plays in between.
    @Test func aSecondCall() throws {
        var scene = Scene()
        let music = try scene.play("music", kind: .zone)
        let first = try scene.begin("first", .call)
        let second = try scene.begin("second", .call)
        let alarm = try scene.begin("alarm", .alarm)
        #expect(scene.arbiter[music]?.interruptedBy == [first, second, alarm])
        #expect(scene.state(first) == .active)
        #expect(scene.acts(try scene.send(.endSystemInterruption(first, resume: true)), on: music) == [])
        #expect(scene.acts(try scene.send(.endSystemInterruption(alarm, resume: false)), on: music) == [])
        #expect(
            scene.acts(try scene.send(.endSystemInterruption(second, resume: true)), on: music)
                == ["end resume", "resume"]
        )
    }

    /// Two that do not mix wait for one call: the one heard last comes back, the other waits for it.
    @Test func onlyOneComesBack() throws {
        var scene = Scene()
        let music = try scene.play("music", kind: .zone)
        let call = try scene.begin("call", .call)
        let radio = try scene.play("radio")
        let second = try scene.begin("second", .call)
        try scene.send(.endSystemInterruption(call, resume: true))
        let effects = try scene.send(.endSystemInterruption(second, resume: true))
        #expect(scene.notices(effects).filter { $0.hasSuffix("resume") } == ["radio ended resume"])
        #expect(scene.arbiter[music]?.interruptedBy == [radio])
        #expect(scene.acts(scene.wait(), on: music) == ["end resume", "resume"])
    }

    /// An alarm that sounded beside A all along did not take A's place.
    @Test func comingBackBesideAnAlarm() throws {
        var scene = Scene()
        _ = try scene.play("alarm", sessionClass: .alarm)
        let a = try scene.play("A")
        let b = try scene.play("B")
        #expect(scene.notices(try scene.send(.deactivate(b, notifyOthers: true)), of: a).first == "ended resume")
    }

    /// A long chain is let go without a long stack.
    @Test func aLongChain() throws {
        var scene = Scene()
        let count = 20_000
        for number in 1...count {
            let id = SessionID(number)
            let playback = try SessionConfiguration(category: .playback)
            try scene.send(.open(id, name: "", kind: .client, configuration: playback))
            try scene.send(.activate(id))
        }
        let effects = try scene.send(.close(SessionID(count)))
        #expect(effects.filter { $0.isEnd }.count == count - 1)
    }
}

extension SessionEffect {
    fileprivate var isEnd: Bool {
        guard case .endInterruption = self else { return false }
        return true
    }
}
