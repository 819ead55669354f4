import AudioSessions
import Testing

/// Section 2.3: how B ends, and what that does to those that it ducked or interrupted.
@Suite struct EndingTests {
    enum Ending: CaseIterable {
        case notifying
        case silent
        case closed
        case suspended
        case background
    }

    /// Rows 28, 29, 36, 40, 50: of what played, only a notifying end recommends to resume.
    @Test(arguments: Ending.allCases, [true, false])
    func endsOfAnInterruption(ending: Ending, wasPlaying: Bool) throws {
        var scene = Scene()
        let a = try scene.play("A")
        if !wasPlaying { try scene.send(.playing(a, false)) }
        let b = try scene.play("B", ending == .background ? .soloAmbient : .playback)
        let effects = try end(b, ending, in: &scene)
        let resumes = ending == .notifying && wasPlaying
        #expect(
            scene.notices(effects, of: a)
                == (resumes ? ["ended resume", "recommended 1"] : ["ended", "recommended 0"])
        )
        #expect(scene.state(a) == .inactive)
        #expect(scene.arbiter.nextDeadline == nil)
        let source = ending == .suspended || ending == .background ? "system" : "app"
        #expect(scene.notices(effects, of: b) == ["inactive \(source)"])
    }

    /// Section 2.6: what may not become active in the background is not told to resume there.
    @Test(arguments: [true, false])
    func anEndInTheBackground(isBackground: Bool) throws {
        for (category, mayResume) in [(SessionCategory.soloAmbient, false), (.ambient, false), (.playback, true)] {
            var scene = Scene()
            let a = try scene.play("A", category)
            let call = try scene.begin("call", .call)
            try scene.send(.background(a, isBackground))
            let effects = try scene.send(.endSystemInterruption(call, resume: true))
            let resumes = mayResume || !isBackground
            #expect(
                scene.notices(effects, of: a)
                    == (resumes ? ["ended resume", "recommended 1"] : ["ended", "recommended 0"])
            )
            if resumes {
                try scene.send(.activate(a))
            } else {
                #expect(scene.refuse(.activate(a)) == .cannotStartPlaying)
            }
        }
    }

    /// What its user decides meanwhile holds: only an interrupted session has an end to wait for.
    @Test(arguments: [true, false])
    func theUserDecidesAboutResuming(resumes: Bool) throws {
        var scene = Scene()
        let a = try scene.play("A", kind: .zone)
        if resumes { try scene.send(.playing(a, false)) }
        #expect(try scene.send(.resumption(a, resumes)) == [])
        let call = try scene.begin("call", .call)
        try scene.send(.resumption(a, resumes))
        let effects = try scene.send(.endSystemInterruption(call, resume: true))
        #expect(scene.acts(effects, on: a) == (resumes ? ["end resume", "resume"] : ["end"]))
    }

    /// Rows 20, 21, 40: levels come back whatever the end, and no session is told.
    @Test(arguments: Ending.allCases)
    func endsOfADuck(ending: Ending) throws {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.play("B", ending == .background ? .ambient : .playback, .duckOthers)
        #expect(scene.arbiter[a]?.isDucked == true)
        let effects = try end(b, ending, in: &scene)
        #expect(scene.acts(effects, on: a) == ["unduck"])
        #expect(scene.notices(effects, of: a) == ["unducked"])
        #expect(scene.arbiter.causes(for: a) == [])
    }

    private func end(_ b: SessionID, _ ending: Ending, in scene: inout Scene) throws -> [SessionEffect] {
        switch ending {
        case .notifying: try scene.send(.deactivate(b, notifyOthers: true))
        case .silent: try scene.send(.deactivate(b, notifyOthers: false))
        case .closed: try scene.send(.close(b))
        case .suspended: try scene.send(.suspended(b, true))
        case .background: try scene.send(.background(b, true))
        }
    }

    /// B pauses but stays active: the others still wait, and are still ducked.
    @Test func aPauseIsNoEnd() throws {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.play("B")
        #expect(scene.notices(try scene.send(.playing(b, false))) == [])
        #expect(scene.state(a) == .interrupted)
        let c = try scene.play("C", .playback, .duckOthers)
        #expect(scene.notices(try scene.send(.playing(c, false))) == [])
        #expect(scene.arbiter[b]?.isDucked == true)
    }

    /// Row 34: A's own act ends its interruption, and B is interrupted now.
    @Test func takingBack() throws {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.play("B")
        #expect(
            scene.notices(try scene.send(.activate(a)))
                == ["A ended", "B inactive system 0", "B began 0", "A active"]
        )
        #expect(scene.arbiter[b]?.interruptedBy == [a])
        #expect(scene.notices(try scene.send(.deactivate(a, notifyOthers: true)), of: b).first == "ended resume")
    }

    /// A call's end recommends to resume unless it says otherwise (rows 28, 43).
    @Test(arguments: [SessionClass.call, .alarm, .assistant], [true, false])
    func endsOfASystemInterruption(sessionClass: SessionClass, resume: Bool) throws {
        var scene = Scene()
        let a = try scene.play("A", kind: .zone)
        let paused = try scene.open("paused", .ambient)
        try scene.send(.activate(paused))
        let call = try scene.begin("call", sessionClass)
        let effects = try scene.send(.endSystemInterruption(call, resume: resume))
        #expect(scene.acts(effects, on: a) == (resume ? ["end resume", "resume"] : ["end"]))
        #expect(scene.acts(effects, on: paused) == ["end"])
        #expect(scene.arbiter[call] == nil)
    }

    /// Row 35: only who asked for it is brought back by the server.
    @Test func bringingBack() throws {
        var scene = Scene()
        for (kind, prefers, wanted) in [
            (SessionKind.zone, nil, true), (.client, nil, false), (.client, true, true), (.zone, false, false),
            (.foreign, nil, true),
        ] {
            let a = try scene.play("A", kind: kind)
            if let prefers { try scene.send(.prefer(a, .autoResume(prefers))) }
            let b = try scene.play("B")
            let effects = try scene.send(.deactivate(b, notifyOthers: true))
            #expect(scene.acts(effects, on: a) == (wanted ? ["end resume", "resume"] : ["end resume"]))
        }
    }

    /// Rows 36 and 37: a pause or stop during the interruption is remembered.
    @Test func aPauseDuringAnInterruptionDisarms() throws {
        var scene = Scene()
        let a = try scene.play("A", kind: .zone)
        let call = try scene.begin("call", .call)
        #expect(scene.notices(try scene.send(.playing(a, false))) == [])
        let effects = try scene.send(.endSystemInterruption(call, resume: true))
        #expect(scene.acts(effects, on: a) == ["end"])
        #expect(scene.notices(effects, of: a) == ["ended", "recommended 0"])
    }

    /// What ends while it is interrupted is told no more (and its owner's act is its end).
    @Test func givingUpWhileInterrupted() throws {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.play("B")
        #expect(scene.notices(try scene.send(.deactivate(a, notifyOthers: true))) == ["A ended"])
        #expect(scene.notices(try scene.send(.deactivate(b, notifyOthers: true))) == ["B inactive app"])
    }

    @Test func closingWhileInterrupted() throws {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.play("B")
        #expect(scene.notices(try scene.send(.close(a))) == [])
        #expect(scene.notices(try scene.send(.close(b))) == ["B inactive app"])
        #expect(scene.arbiter.sessions.isEmpty)
    }
}
