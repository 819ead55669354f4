import AudioSessions
import Testing

/// Rows of the reference's section 7 that concern the arbiter, by their numbers.
///
/// Elsewhere: 4, 16 to 21, 24 to 27 and 42 (cells) in `ArbitrationTableTests`; 9 to 11, 13 to 15 and 58 in
/// `ConfigurationTests`; 20, 21, 28, 29, 34 to 37, 40 and 43 in `EndingTests`; 22, 25, 38 and 39 in `NestingTests`;
/// 150 in `PropertyTests`. The server's: 1, 23, 30, 41. Of sound: 17, 32 and 33, of which the arbiter has the order.
/// Of devices, later: 7, 8.
@Suite struct RowTests {
    @Test func row2AndRow12OptionsAreReplacedNotMerged() throws {
        var scene = Scene()
        let id = SessionID(7)
        try scene.send(.open(id, name: "A", kind: .client, owner: "uid 1000"))
        let session = try #require(scene.arbiter[id])
        #expect(session.configuration == .initial && session.configuration.category == .soloAmbient)
        #expect(session.state == .inactive && !session.isPlaying && session.owner == "uid 1000")
        let ducking = try SessionConfiguration(category: .playback, options: .duckOthers)
        #expect(scene.notices(try scene.send(.configure(id, ducking))) == ["? categoryChanged"])
        #expect(try scene.send(.configure(id, ducking)) == [])
        try scene.send(.configure(id, try SessionConfiguration(category: .playback)))
        #expect(scene.arbiter[id]?.configuration.options == [])
    }

    @Test(arguments: SessionCategory.allCases.filter { $0 != .audioProcessing }, [true, false])
    func rows3And5TheSwitchAndTheLockMute(category: SessionCategory, bySwitch: Bool) throws {
        var scene = Scene()
        let a = try scene.open("A", category)
        try scene.send(.activate(a))
        if category.hasOutput { try scene.send(.playing(a, true)) }
        let isMuted = category == .ambient || category == .soloAmbient
        #expect(
            scene.acts(try scene.send(bySwitch ? .silenceSwitch(true) : .locked(true)), on: a)
                == (isMuted ? ["mute"] : [])
        )
        #expect(scene.arbiter[a]?.isPlaying == category.hasOutput)
        #expect(
            scene.arbiter.causes(for: a)
                == (!isMuted
                    ? [] : bySwitch ? [.mutedBySilenceSwitch(since: scene.now)] : [.mutedByLock(since: scene.now)])
        )
        // The other one on as well, and one off again: still muted.
        #expect(scene.acts(try scene.send(bySwitch ? .locked(true) : .silenceSwitch(true)), on: a) == [])
        #expect(scene.acts(try scene.send(.locked(false)), on: a) == [])
        #expect(scene.acts(try scene.send(.silenceSwitch(false)), on: a) == (isMuted ? ["unmute"] : []))
    }

    /// A session that starts while the switch is on is muted before it may sound.
    @Test func row3MutedFromTheStart() throws {
        var scene = Scene()
        try scene.send(.silenceSwitch(true))
        let a = try scene.open("A", .soloAmbient)
        #expect(scene.acts(try scene.send(.activate(a)), on: a) == ["mute", "activate"])
        let playback = try SessionConfiguration(category: .playback)
        #expect(scene.acts(try scene.send(.configure(a, playback)), on: a) == ["unmute"])
    }

    @Test func row6RecordPlaysNothing() throws {
        var scene = Scene()
        let a = try scene.open("A", .record)
        try scene.send(.activate(a))
        #expect(scene.refuse(.playing(a, true)) == .incompatibleCategory)
        let b = try scene.play("B", .ambient)
        #expect(scene.refuse(.recording(b, true)) == .incompatibleCategory)
    }

    /// Alarms and calls survive another session's recording; the others come back after it.
    @Test func row6RecordingSilences() throws {
        var scene = Scene()
        let ambient = try scene.play("ambient", .ambient)
        let alarm = try scene.play("alarm", .playback, .duckOthers, sessionClass: .alarm)
        let recorder = try scene.open("recorder", .record)
        try scene.send(.prefer(recorder, .noInterruptionsFromSystemAlerts(true)))
        try scene.send(.deactivate(alarm, notifyOthers: true))
        let effects = try scene.send(.activate(recorder))
        #expect(scene.acts(effects, on: ambient) == ["mute"])
        try scene.send(.activate(alarm))
        #expect(scene.arbiter[alarm]?.isMuted == false)
        #expect(scene.arbiter.causes(for: ambient).contains(.mutedByRecording(recorder, since: scene.now - 1)))
        #expect(scene.acts(try scene.send(.close(recorder)), on: ambient) == ["unmute"])
    }

    @Test func row16ActivatingAgainIsNothing() throws {
        var scene = Scene()
        _ = try scene.play("A")
        let b = try scene.play("B")
        #expect(try scene.send(.activate(b)) == [])
        #expect(scene.arbiter[b]?.isPlaying == true)
    }

    @Test func row31DeactivatingWhilePlaying() throws {
        var scene = Scene()
        let a = try scene.play("A")
        scene.arbiter.policy.refusesBusyDeactivation = true
        #expect(scene.refuse(.deactivate(a, notifyOthers: false)) == .isBusy)
        scene.arbiter.policy.refusesBusyDeactivation = false
        #expect(scene.acts(try scene.send(.deactivate(a, notifyOthers: false)), on: a) == ["deactivate"])
        #expect(scene.arbiter[a]?.isPlaying == false)
    }

    @Test func row31ChangingTheKindOfWorkWhileAtIt() throws {
        var scene = Scene()
        let a = try scene.play("A", .playAndRecord)
        #expect(scene.refuse(.configure(a, try SessionConfiguration(category: .record))) == .isBusy)
        try scene.send(.playing(a, false))
        try scene.send(.recording(a, true))
        #expect(scene.refuse(.configure(a, try SessionConfiguration(category: .playback))) == .isBusy)
    }

    /// Rows 17 and 32: A's silence, A's inactivity, A's notice, and only then B.
    @Test func row32TheOrderOfAnInterruption() throws {
        var scene = Scene()
        let a = try scene.play("A", kind: .zone)
        let b = try scene.open("B", .playback)
        let music = SessionEffect.notice(a, .didBecomeInactive(source: .system, reason: .default))
        #expect(
            try scene.send(.activate(b)) == [
                .interrupt(a, by: .session(b), reason: .default), music, .notice(a, .interruptionBegan(.default)),
                .activate(b), .notice(b, .didBecomeActive),
            ]
        )
    }

    /// Rows 42 and 7 of 2.2: beside a call, sound is admitted and the microphone is not.
    @Test(arguments: [SessionClass.call, .alarm, .assistant])
    func row42BesideACall(sessionClass: SessionClass) throws {
        var scene = Scene()
        let a = try scene.play("A")
        let call = try scene.begin("call", sessionClass)
        let recorder = try scene.open("recorder", .playAndRecord)
        #expect(scene.refuse(.activate(recorder)) == .insufficientPriority)
        #expect(scene.notices(try scene.send(.activate(a))) == ["A ended", "A active"])
        #expect(
            scene.refuse(.configure(a, try SessionConfiguration(category: .playAndRecord))) == .insufficientPriority
        )
        #expect(scene.state(call) == .active)
        try scene.send(.endSystemInterruption(call, resume: true))
        #expect(scene.notices(try scene.send(.activate(recorder))).contains("A began 0"))
    }

    /// Who ranks lower neither interrupts nor ducks who ranks higher.
    @Test func row42TheLadder() throws {
        var scene = Scene()
        let alarm = try scene.play("alarm", sessionClass: .alarm)
        let radio = try scene.play("radio")
        #expect(scene.state(alarm) == .active)
        let options: SessionOptions = [.duckOthers, .interruptSpokenAudioAndMixWithOthers]
        let urgent = try scene.play("urgent", .playback, options, kind: .announcement, sessionClass: .alarm)
        #expect(scene.arbiter[alarm]?.isDucked == true)
        let prompt = try scene.play("prompt", .playback, options, kind: .announcement)
        #expect(scene.arbiter[prompt]?.isDucked == true, "an older ducker that ranks higher wins")
        #expect(scene.arbiter[urgent]?.isDucked == false)
        try scene.send(.close(urgent))
        #expect(scene.arbiter[alarm]?.isDucked == false && scene.arbiter[radio]?.isDucked == true)
        #expect(scene.arbiter[prompt]?.isDucked == false)
        let siri = try scene.begin("assistant", .assistant)
        #expect(scene.state(alarm) == .active && scene.state(radio) == .interrupted)
        #expect(scene.arbiter[siri]?.isDucked == false)
    }

    @Test func row44NobodyStartsWhileTheAssistantRecords() throws {
        var scene = Scene()
        let mixing = try scene.open("mixing", .ambient)
        let alarm = try scene.open("alarm", .playback, .duckOthers, sessionClass: .alarm)
        let siri = try scene.begin("assistant", .assistant, isRecording: true)
        #expect(scene.refuse(.activate(mixing)) == .siriIsRecording)
        try scene.send(.activate(alarm))
        try scene.send(.endSystemInterruption(siri, resume: true))
        try scene.send(.activate(mixing))
    }

    @Test(arguments: [SystemInterruption.Style.full, .banner], [true, false])
    func row45NoInterruptionsFromSystemAlerts(style: SystemInterruption.Style, prefers: Bool) throws {
        var scene = Scene()
        let a = try scene.play("A", .playAndRecord)
        try scene.send(.recording(a, true))
        try scene.send(.prefer(a, .noInterruptionsFromSystemAlerts(prefers)))
        let call = try scene.begin("call", .call, style: style)
        let isSpared = prefers && style == .banner
        #expect(scene.state(a) == (isSpared ? .active : .interrupted))
        if isSpared {
            try scene.send(.deactivate(a, notifyOthers: false))
            try scene.send(.activate(a))
            try scene.send(.recording(a, true))
            #expect(scene.notices(try scene.send(.acceptSystemInterruption(call)), of: a).last == "began 0")
            #expect(scene.refuse(.activate(a)) == .insufficientPriority)
        }
        let effects = try scene.send(.endSystemInterruption(call, resume: true))
        #expect(scene.acts(effects, on: a) == ["end resume"])
    }

    @Test func row46PromptStyle() throws {
        var scene = Scene()
        let prompt = try scene.play("prompt", .playback, .duckOthers, mode: .voicePrompt)
        #expect(scene.arbiter.promptStyle(for: prompt) == .normal)
        let recorder = try scene.open("recorder", .record)
        #expect(scene.notices(try scene.send(.activate(recorder)), of: prompt).first == "prompts none")
        #expect(scene.arbiter.promptStyle(for: prompt) == .none)
        #expect(scene.arbiter.promptStyle(for: recorder) == .normal)
        #expect(scene.notices(try scene.send(.close(recorder)), of: prompt).first == "prompts normal")
        let call = try scene.begin("call", .call)
        #expect(scene.log.contains(.notice(prompt, .promptStyleChanged(.short))))
        #expect(
            scene.notices(try scene.send(.endSystemInterruption(call, resume: true)), of: prompt)
                .contains("prompts normal")
        )
        let siri = try scene.begin("assistant", .assistant, isRecording: true)
        #expect(scene.arbiter.promptStyle(for: prompt) == .none)
        try scene.send(.close(siri))
        let chat = try scene.play("chat", .playAndRecord, .mixWithOthers)
        #expect(scene.notices(try scene.send(.recording(chat, true))) == ["prompt prompts none"])
    }

    @Test func row47InTheBackground() throws {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.open("B")
        try scene.send(.background(b, true))
        #expect(scene.refuse(.activate(b)) == .cannotInterruptOthers)
        #expect(scene.state(a) == .active)
        try scene.send(.deactivate(a, notifyOthers: true))
        try scene.send(.background(a, true))
        #expect(scene.arbiter.nowPlaying == a)
        try scene.send(.activate(a))
        #expect(scene.state(a) == .active)
        let mixing = try scene.open("mixing", .playback, .mixWithOthers)
        try scene.send(.background(mixing, true))
        try scene.send(.activate(mixing))
        // A mixing session that stops mixing does what an activation does.
        #expect(
            scene.refuse(.configure(mixing, try SessionConfiguration(category: .playback))) == .cannotInterruptOthers
        )
        try scene.send(.background(mixing, false))
        #expect(
            scene.notices(try scene.send(.configure(mixing, try SessionConfiguration(category: .playback))))
                == ["A inactive system 0", "A began 0", "mixing categoryChanged"]
        )
    }

    @Test(arguments: [SessionCategory.ambient, .soloAmbient])
    func row48AmbientInTheBackground(category: SessionCategory) throws {
        var scene = Scene()
        let a = try scene.play("A", category)
        #expect(scene.notices(try scene.send(.background(a, true))) == ["A inactive system"])
        #expect(scene.refuse(.activate(a)) == .cannotStartPlaying)
        try scene.send(.background(a, false))
        try scene.send(.activate(a))
        let b = try scene.play("B", .playback, .mixWithOthers)
        try scene.send(.background(b, true))
        #expect(scene.state(b) == .active)
        #expect(scene.refuse(.configure(b, try SessionConfiguration(category: category))) == .cannotStartPlaying)
    }

    @Test func row49MixingRecordingInTheBackground() throws {
        var scene = Scene()
        let a = try scene.open("A", .playAndRecord, .mixWithOthers)
        try scene.send(.background(a, true))
        #expect(scene.refuse(.activate(a)) == .cannotStartRecording)
        try scene.send(.background(a, false))
        try scene.send(.activate(a))
        try scene.send(.background(a, true))
        #expect(scene.refuse(.recording(a, true)) == .cannotStartRecording)
    }

    @Test func row50Suspension() throws {
        var scene = Scene()
        let a = try scene.play("A")
        #expect(scene.notices(try scene.send(.suspended(a, true))) == ["A inactive system"])
        #expect(scene.refuse(.activate(a)) == .cannotStartPlaying)
        #expect(try scene.send(.suspended(a, false)) == [])
        try scene.send(.activate(a))
    }

    @Test func rows51And52HintsAsked() throws {
        var scene = Scene()
        let a = try scene.open("A")
        let ambient = try scene.play("ambient", .ambient)
        #expect(scene.arbiter.isOtherAudioPlaying(for: a))
        #expect(!scene.arbiter.isOtherAudioPlaying(for: ambient))
        #expect(!scene.arbiter.secondaryAudioShouldBeSilenced(for: a))
        let b = try scene.open("B")
        try scene.send(.activate(b))
        #expect(!scene.arbiter.secondaryAudioShouldBeSilenced(for: a), "active is not playing")
        try scene.send(.playing(b, true))
        #expect(scene.arbiter.secondaryAudioShouldBeSilenced(for: a))
        #expect(!scene.arbiter.secondaryAudioShouldBeSilenced(for: b))
        try scene.send(.playing(b, false))
        #expect(!scene.arbiter.secondaryAudioShouldBeSilenced(for: a))
        try scene.send(.close(ambient))
        #expect(!scene.arbiter.isOtherAudioPlaying(for: a))
    }

    @Test func rows53And54HintsTold() throws {
        var scene = Scene()
        let game = try scene.play("game", .ambient)
        let hidden = try scene.play("hidden", .playback, .mixWithOthers)
        try scene.send(.background(hidden, true))
        _ = try scene.open("idle", .ambient)
        let b = try scene.open("B")
        try scene.send(.activate(b))
        #expect(scene.notices(try scene.send(.playing(b, true))) == ["game hintBegan"])
        #expect(scene.notices(try scene.send(.playing(b, true))) == [])
        #expect(scene.notices(try scene.send(.playing(b, false))) == ["game hintEnded"])
        try scene.send(.playing(b, true))
        #expect(scene.notices(try scene.send(.deactivate(b, notifyOthers: true)), of: game) == ["hintEnded"])
        #expect(SessionNotice.hintBegan.rawType == 1 && SessionNotice.hintEnded.rawType == 0)
    }

    /// Two that do not mix sound beside each other: each is told of the other alone.
    @Test func row53TwoPrimaries() throws {
        var scene = Scene()
        let alarm = try scene.play("alarm", sessionClass: .alarm)
        let game = try scene.play("game", .ambient)
        let a = try scene.open("A")
        try scene.send(.activate(a))
        #expect(scene.notices(try scene.send(.playing(a, true))) == ["alarm hintBegan"])
        #expect(scene.notices(try scene.send(.playing(alarm, false))) == ["A hintEnded"])
        #expect(scene.arbiter.secondaryAudioShouldBeSilenced(for: game))
    }

    @Test func rows55And56Numbers() {
        #expect(SessionNotice.interruptionBegan(.default).rawType == 1)
        #expect(SessionNotice.interruptionEnded(shouldResume: true).rawType == 0)
        #expect(InterruptionReason.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5])
        #expect(InterruptionReason.routeDisconnected.name == "routeDisconnected")
        #expect(SessionNotice.Source.app.rawValue == 1 && SessionNotice.Source.system.rawValue == 2)
    }

    @Test func row56TheMicrophoneIsMuted() throws {
        var scene = Scene()
        let a = try scene.open("A", .playAndRecord)
        try scene.send(.activate(a))
        try scene.send(.recording(a, true))
        let deaf = try scene.play("deaf", .playAndRecord, [.mixWithOthers, .overrideMutedMicrophoneInterruption])
        #expect(scene.notices(try scene.send(.microphoneMuted(true))) == ["A inactive system", "A began 2"])
        #expect(scene.state(deaf) == .active)
        #expect(
            scene.arbiter.causes(for: a)
                == [.interrupted(by: .microphone, reason: .builtInMicMuted, since: scene.now)]
        )
        #expect(scene.notices(try scene.send(.microphoneMuted(false))) == ["A ended resume", "A recommended 1"])
    }

    /// Row 66: what only records needs something to record from; what also plays does not.
    @Test func row66NothingToRecordFrom() throws {
        var scene = Scene()
        let memo = try scene.open("memo", .record)
        let call = try scene.open("call", .playAndRecord)
        try scene.send(.inputAvailable(false))
        #expect { try scene.send(.activate(memo)) } throws: { ($0 as? SessionError)?.code == .resourceNotAvailable }
        #expect(scene.notices(try scene.send(.activate(call)), of: call) == ["active"])
        try scene.send(.inputAvailable(true))
        #expect(scene.notices(try scene.send(.activate(memo)), of: memo) == ["active"])
    }

    /// Rows 56 and 61: the session that has the say, and who asked for it.
    @Test(arguments: [nil, true, false])
    func row61TheRouteIsLost(preference: Bool?) throws {
        var scene = Scene()
        let other = try scene.play("other", .playback, .mixWithOthers)
        let a = try scene.play("A")
        try scene.send(.prefer(a, .interruptionOnRouteDisconnect(preference)))
        let effects = try scene.send(.routeLost)
        #expect(scene.acts(effects, on: other) == [])
        #expect(scene.notices(effects, of: a) == (preference == false ? [] : ["inactive system", "began 4"]))
        guard preference != false else { return }
        #expect(scene.notices(try scene.send(.activate(a))) == ["A ended", "A active"])
        try scene.send(.prefer(other, .interruptionOnRouteDisconnect(true)))
        #expect(scene.notices(try scene.send(.routeLost), of: other) == ["inactive system", "began 4"])
    }

    /// Nothing waits for what lost its route: it comes back only when its client asks.
    @Test func row61WhoeverWaitsForALostRouteIsLetGo() throws {
        var scene = Scene()
        let a = try scene.play("A")
        let b = try scene.play("B")
        let effects = try scene.send(.routeLost)
        #expect(scene.notices(effects, of: b) == ["inactive system", "began 4"])
        #expect(scene.notices(effects, of: a) == ["ended", "recommended 0"])
    }

    @Test func row57BothModelsOfEvents() throws {
        var scene = Scene()
        let a = try scene.open("A")
        #expect(scene.notices(try scene.send(.activate(a))) == ["A active"])
        #expect(scene.notices(try scene.send(.deactivate(a, notifyOthers: false))) == ["A inactive app"])
        try scene.send(.activate(a))
        let call = try scene.begin("call", .call)
        #expect(scene.notices(scene.log, of: a).suffix(2) == ["inactive system 0", "began 0"])
        #expect(
            scene.notices(try scene.send(.endSystemInterruption(call, resume: true)), of: a)
                == ["ended", "recommended 0"]
        )
    }

    /// Rows 70 and 71, and section 3.3.
    @Test func row70MediaServices() throws {
        var scene = Scene()
        let zone = try scene.play("zone", kind: .zone)
        let client = try scene.play("client", .ambient)
        #expect(scene.notices(try scene.send(.mediaServicesLost)) == ["all mediaServicesLost"])
        #expect(try scene.send(.mediaServicesLost) == [])
        #expect(scene.refuse(.playing(client, true)) == .mediaServicesFailed)
        let new = try scene.open("new")
        #expect(scene.refuse(.activate(new)) == .mediaServicesFailed)
        #expect(
            scene.notices(try scene.send(.mediaServicesReset)) == ["client inactive system", "all mediaServicesReset"]
        )
        #expect(scene.arbiter[zone]?.isPlaying == true)
        #expect(scene.arbiter[client]?.configuration == .initial)
        try scene.send(.activate(new))
    }

    @Test func row58WhoeverIsGoneIsExpired() {
        var scene = Scene()
        for event in [
            SessionEvent.close(SessionID(9)), .activate(SessionID(9)), .deactivate(SessionID(9), notifyOthers: true),
            .playing(SessionID(9), true), .background(SessionID(9), true),
            .endSystemInterruption(SessionID(9), resume: true),
        ] {
            #expect(scene.refuse(event) == .expiredSession)
        }
    }

    @Test func row58IllegalRequests() throws {
        var scene = Scene()
        let a = try scene.open("A")
        #expect(scene.refuse(.open(a, name: "again", kind: .client)) == .badParam)
        #expect(scene.refuse(.open(SessionID(50), name: "S", kind: .system)) == .badParam)
        #expect(scene.refuse(.playing(a, true)) == .sessionNotActive)
        #expect(scene.refuse(.endSystemInterruption(a, resume: true)) == .badParam)
        #expect(
            scene.refuse(.beginSystemInterruption(SessionID(50), SystemInterruption(.normal, name: ""))) == .badParam
        )
        let call = try scene.begin("call", .call)
        #expect(scene.refuse(.activate(call)) == .badParam)
        #expect(scene.refuse(.deactivate(call, notifyOthers: true)) == .badParam)
    }

    /// Section 8's switch: ducking interrupts spoken audio even without the option that says so.
    @Test func duckersMayInterruptSpeech() throws {
        var scene = Scene()
        scene.arbiter.policy.duckingInterruptsSpokenAudio = true
        let book = try scene.play("book", mode: .spokenAudio)
        let prompt = try scene.open("prompt", .playback, .duckOthers)
        #expect(scene.notices(try scene.send(.activate(prompt)), of: book).last == "began 0")
    }

    /// A book that is taken back while a prompt still speaks is ducked: both are to be understood.
    @Test func speechBesideAPrompt() throws {
        var scene = Scene()
        let book = try scene.play("book", mode: .spokenAudio, kind: .zone)
        let options: SessionOptions = [.interruptSpokenAudioAndMixWithOthers, .duckOthers]
        let prompt = try scene.play("prompt", .playback, options, mode: .voicePrompt, kind: .announcement)
        #expect(scene.acts(try scene.send(.activate(book)), on: book) == ["end", "activate"])
        #expect(scene.acts(try scene.send(.playing(book, true)), on: book) == ["duck"])
        #expect(scene.acts(try scene.send(.close(prompt)), on: book) == ["unduck"])
    }

    /// Silent speech bears plain duckers only, and says so.
    @Test func silentSpeechBesideDuckers() throws {
        var scene = Scene()
        let book = try scene.open("book", mode: .spokenAudio)
        try scene.send(.activate(book))
        let prompts: SessionOptions = [.interruptSpokenAudioAndMixWithOthers, .duckOthers]
        _ = try scene.play("prompt", .playback, prompts, mode: .voicePrompt)
        #expect(scene.arbiter.causes(for: book) == [])
        let plain = try scene.open("plain", .playback, .duckOthers)
        try scene.send(.activate(plain))
        #expect(scene.arbiter.causes(for: book) == [.ducked(by: plain, since: scene.now)])
    }

    @Test func nowPlayingIsWhoeverBeganLast() throws {
        var scene = Scene()
        #expect(scene.arbiter.nowPlaying == nil)
        let a = try scene.play("A", kind: .zone)
        let b = try scene.play("B")
        _ = try scene.play("mixing", .playback, .mixWithOthers)
        _ = try scene.play("prompt", .playback, .duckOthers, kind: .announcement)
        #expect(scene.arbiter.nowPlaying == b)
        try scene.send(.close(b))
        #expect(scene.arbiter.nowPlaying == a)
        try scene.send(.configure(a, try SessionConfiguration(category: .playback, options: .mixWithOthers)))
        #expect(scene.arbiter.nowPlaying == nil)
    }
}
