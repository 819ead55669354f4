import AudioTypes
import CommandOptions
import DBus
import Foreground
import Glibc
import HTTP
import Logind
import MPRIS
import Outputs
import PictureWorkers
import Playback
import TerminalPictures
import TerminalText
import Threads

/// How a session ended.
struct SessionEnding: Sendable {
    var status: ExitStatus
    /// The signal that ended it, to be raised again.
    var signal: Int32?

    init(status: ExitStatus) { self.status = status }

    /// - Returns: `nil` for a signal that does not end the session.
    init?(signal: Int32) {
        switch signal {
        case SIGINT: status = .interrupted
        case SIGTERM: status = .terminated
        case SIGHUP: status = .hungUp
        case SIGPIPE: status = .pipeClosed
        default: return nil
        }
        self.signal = signal
    }
}

/// A foreground session: connects the player, the keys, the signals and the screen.
///
/// All events come through one stream and are handled here in order, on the main thread, so that a slow terminal blocks
/// nothing else.
@MainActor
final class PlaySession {
    enum Input: Sendable {
        case player(PlayerEvent)
        case tick(MediaTime)
        case keys([Key])
        case signal(Int32)
        case arbitration(Arbitration.Event)
        case remote(MediaPlayerCommand, BusAnswer)
        case machineSleep(SleepGuard.Event)
        /// The cover beside the file of an item.
        case coverFile(PlayerItem.ID, String)
        /// The server has taken over, or why it has not.
        case handedOver(problem: String?)
        case sleepIsOver
        /// The display has changed with time alone, such as the time until the next attempt.
        case redraw
        case film(FilmPresenter.Event)
        case cover(TerminalPicture, isOfCharacters: Bool)
        case playerClosed
    }

    /// The state of a handover to a server.
    enum Handover {
        case none, underWay, done
    }

    let options: PlayOptions
    let player: Player
    let screen: Screen
    private let memory: PositionMemory
    /// `nil` when not playing through this machine's sound server.
    var arbitration: Arbitration?
    /// `nil` when the player is not on the user's message bus.
    let remote: RemotePlayer?
    /// `nil` when the machine's sleep does not matter.
    let sleepGuard: SleepGuard?
    let source: AsyncStream<Input>.Continuation
    var handover = Handover.none
    private var reporter = PlayReporter()
    private var problemCount: Int
    private var keyboard: Keyboard?
    var keys: Int32 = -1
    /// The latest requests; the player's status follows a little later.
    var wanted: PlayerStatus
    /// Whether it fades out because of `--sleep`.
    var isFallingAsleep = false
    private var willRedraw = false
    private var log: LogFile?
    private let film: FilmShow?
    private let covers: CoverShow?
    /// The subtitles that are shown, and their text now.
    private let subtitles: Subtitles
    private var subtitleTimer = SubtitleTimer()
    /// The audio track that is wanted.
    private var audioTrack: TrackSelection
    /// Where it is heard, if that is a sink.
    private var output: (any AudioOutput)?
    /// While another session interrupts us: whether we were playing before.
    var interruption: (wasPlaying: Bool, Void)?
    /// While stopped by SIGTSTP: whether we were playing.
    private var stopped: (wasPlaying: Bool, Void)?
    var ending: SessionEnding?

    private init(
        _ options: PlayOptions,
        player: Player,
        screen: Screen,
        memory: PositionMemory,
        arbitration: Arbitration?,
        source: AsyncStream<Input>.Continuation,
        subtitles: Subtitles,
        problemCount: Int
    ) {
        self.options = options
        self.player = player
        self.screen = screen
        self.memory = memory
        self.arbitration = arbitration
        remote = Self.remotePlayer(of: player, options, source)
        sleepGuard = Self.sleepGuard(Self.playsInRealTime(options), source)
        self.source = source
        self.subtitles = subtitles
        audioTrack = TrackSelection(options.selection.audioTrack)
        self.problemCount = problemCount
        wanted = player.status
        log = options.stream.streamLog.map { LogFile($0, screen) }
        film = FilmShow(options.display, options.stream.streamOptions, screen, player, source)
        covers = CoverShow(options.display, screen, source)
        screen.stream = { player.streamStatus.map { ProgressLine.Stream($0, now: .now) } }
        screen.subtitles = { subtitles.shown(at: player.currentTime()).lines }
    }

    /// Plays the items of `options`, to the end or until stopped.
    static func run(_ options: PlayOptions) async -> SessionEnding {
        let (inputs, source) = AsyncStream<Input>.makeStream()
        let leaving = Interrupt()
        let output = options.output.output == .standardOutput ? TextOutput.standardError : .standardOutput
        let screen = Screen(options.display, output: TextOutput(output, leaving: leaving))
        do {
            try Signals.receive { number in
                if SessionEnding(signal: number) != nil { leaving.raise() }
                source.yield(.signal(number))
            }
        } catch {
            return fail(.someFailed, ["\(error)"], screen)
        }

        let expansion = await expandArguments(of: options, interrupt: leaving)
        if leaving.isRaised { return await ending(by: inputs) }
        guard !expansion.entries.isEmpty else {
            let problems = expansion.problems.isEmpty ? ["nothing to play"] : expansion.problems
            return fail(.someFailed, problems, screen)
        }
        if options.background { return await playInBackground(options, expansion, screen) }
        do {
            try await checkRecording(options, expansion.entries, leaving)
        } catch {
            return fail(.someFailed, expansion.problems + ["\(error)"], screen)
        }
        let unrecorded = options.stream.record == nil ? [] : unrecordedFiles(expansion.entries)
        if case .folder(let path) = options.output.output {
            let session = FolderSession(options, path, screen, leaving)
            return await session.run(expansion, inputs, source)
        }
        let opened: OpenedOutput
        do {
            if case .file(let path) = options.output.output {
                if options.output.writeReplayGain { try LoudnessPass.check([path], expansion.entries) }
                try await Overwriting(options, expansion.entries).check([path], leaving: leaving)
            }
            var gain = ReplayGain()
            if options.output.writeReplayGain, case .file(let path) = options.output.output {
                let pass = FilePass(options: options, screen: screen, inputs: inputs, source: source)
                switch try await LoudnessPass(pass: pass).measure(expansion.entries, for: path) {
                case .measured(let loudness): gain = ReplayGain(track: loudness, album: nil)
                case .ended(let ending):
                    Terminal.restore()
                    return ending
                }
            }
            opened = try await openOutput(options, for: expansion.entries, gain)
        } catch {
            return fail(.noOutput, expansion.problems + ["\(error)"], screen)
        }
        screen.write(PlayEvents.started(count: expansion.entries.count, output: opened.name))
        for problem in expansion.problems + unrecorded { screen.error(problem) }
        if let notice = opened.notice { screen.notice(notice) }

        var configuration = PlayerConfiguration(options)
        configuration.playsSilentFilms = options.display.showsFilms && screen.showsProgress
        let subtitles = Subtitles(options.selection, options.stream.text.charset)
        if screen.showsProgress { configuration.subtitles = subtitles.feeds.feed(for:) }
        let session = PlaySession(
            options,
            player: Player(output: opened.output, configuration: configuration),
            screen: screen,
            memory: PositionMemory(isWanted: options.selection.resume),
            arbitration: opened.isOnSoundServer ? joinArbitration(options, expansion.entries.first, source) : nil,
            source: source,
            subtitles: subtitles,
            problemCount: expansion.problems.count + unrecorded.count
        )
        if options.output.output.usesDevice, opened.name != "null" { session.output = opened.output }
        return await session.play(expansion.entries, inputs, source)
    }

    /// The ending of a session that a signal has ended.
    private static func ending(by inputs: AsyncStream<Input>) async -> SessionEnding {
        for await input in inputs {
            if case .signal(let number) = input, let ending = SessionEnding(signal: number) { return ending }
        }
        return SessionEnding(status: .interrupted)
    }

    /// Ends before anything is played.
    static func fail(_ status: ExitStatus, _ problems: [String], _ screen: Screen) -> SessionEnding {
        for problem in problems { screen.error(problem) }
        screen.write(PlayEvents.finished(played: 0, failed: problems.count, exitStatus: status.rawValue))
        return SessionEnding(status: status)
    }

    // MARK: The run

    private func play(
        _ entries: [MediaEntry],
        _ inputs: AsyncStream<Input>,
        _ source: AsyncStream<Input>.Continuation
    ) async -> SessionEnding {
        await begin(entries, source)
        for await input in inputs {
            await handle(input)
            if !screen.isOpen { ending = ending ?? SessionEnding(status: outcome) }
            if ending != nil { break }
            refresh()
        }
        let ending = ending ?? SessionEnding(status: outcome)
        remember()
        await log?.finish(player)
        await remote?.finish()
        sleepGuard?.close()
        await player.close()
        await arbitration?.leave(notifies: handover != .done)
        film?.finish()
        screen.disappear()
        Terminal.restore()
        screen.write(
            PlayEvents.finished(
                played: reporter.playedCount,
                failed: reporter.failedCount + problemCount,
                exitStatus: ending.status.rawValue
            )
        )
        return ending
    }

    private func begin(_ entries: [MediaEntry], _ source: AsyncStream<Input>.Continuation) async {
        let events = await player.events()
        Task {
            for await event in events { source.yield(.player(event)) }
            source.yield(.playerClosed)
        }
        let ids = await player.append(entries.map(options.selection.limited))
        memory.record(Array(zip(ids, entries)))
        await applyOptions()
        if let first = await player.items.first, let time = memory.position(for: first) {
            await player.jump(to: 0, at: time)
            memory.markResumed(first.id)
        } else if arbitration != nil {
            // The output is opened while other sessions fall silent.
            await player.jump(to: 0)
        }
        await playIfAdmitted()
        startTicks(source)
        startSleepTimer(source)
        film?.prepare()
        covers?.prepare()
        startKeyboard(source)
    }

    private func applyOptions() async {
        await player.apply(options.sound)
        switch options.selection.loop {
        case .queue: await player.setLoopMode(.queue)
        case .item: await player.setLoopMode(.item)
        case nil: break
        }
        if options.selection.shuffle { await player.shuffle() }
        wanted = player.status
    }

    private func startTicks(_ source: AsyncStream<Input>.Continuation) {
        let interval = screen.showsProgress ? 1 : screen.isJSON ? options.display.interval : nil
        guard let interval else { return }
        Task {
            for await time in await player.periodicTimes(every: MediaTime(seconds: interval)) {
                source.yield(.tick(time))
            }
        }
    }

    private func startKeyboard(_ source: AsyncStream<Input>.Continuation) {
        guard screen.showsProgress || (options.display.quiet && TerminalTraits.isCapable) else { return }
        if !options.readsStandardInput {
            if TerminalTraits.isTerminal(STDIN_FILENO) { keys = STDIN_FILENO }
        } else {
            keys = unsafe open("/dev/tty", O_RDONLY | O_CLOEXEC)
        }
        if keys >= 0 { keyboard = Keyboard(input: keys) { source.yield(.keys($0)) } }
        takeTerminal()
    }

    /// Takes over the terminal, unless another job owns it.
    private func takeTerminal() {
        let drawn = screen.drawnDescriptor
        let asked = keys >= 0 ? keys : drawn
        guard asked >= 0, Terminal.isForeground(asked) else { return }
        Terminal.enter(keys: keys, screen: drawn)
        keyboard?.setReading(true)
        screen.appear(player.status, player.currentTime())
        film?.place()
    }

    /// 0 or 1, depending on failures so far.
    var outcome: ExitStatus { reporter.failedCount + problemCount > 0 ? .someFailed : .success }

    // MARK: Events

    private func handle(_ input: Input) async {
        switch input {
        case .player(let event):
            for notice in reporter.handle(event, status: player.status) { await tell(notice) }
            if case .currentItemChanged(let item?) = event { await resume(item) }
            film?.handle(event)
            remote?.handle(event)
            await log?.record(event, of: player)
        case .tick(let time):
            if screen.isJSON, let item = player.status.currentItem, item.id == reporter.announced {
                screen.write(PlayEvents.position(time, of: item))
            }
            // A shell does not notify a running job that it moves to the foreground.
            if screen.showsProgress, !screen.isVisible, stopped == nil { takeTerminal() }
            screen.show(player.status, time)
        case .keys(let keys):
            for key in keys {
                if let command = KeyBindings.command(for: key) { perform(command) }
            }
        case .signal(let number): await handle(signal: number)
        case .arbitration(let event): await handle(event)
        case .remote(let command, let answer): obey(command, answer)
        case .machineSleep(let event): await handle(event)
        case .coverFile(let item, let path): remote?.found(path, of: item)
        case .handedOver(let problem): await endHandover(problem)
        case .redraw: willRedraw = false
        case .film(let event): film?.handle(event)
        case .cover(let picture, let isOfCharacters): screen.show(picture, isOfCharacters: isOfCharacters)
        case .sleepIsOver, .playerClosed: ending = SessionEnding(status: outcome)
        }
    }

    private func tell(_ notice: PlayNotice) async {
        switch notice {
        case .itemStarted(let item, let index, let count):
            screen.line(ItemText.started(item, index: index, count: count))
            covers?.show(item)
            remote?.findCover(of: item, source)
            arbitration?.setSpoken(SpokenContent.contains(item))
            findSubtitles(of: item)
        case .itemFailed(let item):
            if !screen.isJSON { screen.error(ItemText.failure(item)) }
        case .itemDamaged(_, let text), .recordingFailed(_, let text):
            if !screen.isJSON { screen.error(text) }
        case .itemEnded(let item): memory.forget(item)
        case .statusChanged(let status):
            wanted = status
            sleepGuard?.setBlocking(options.display.inhibitSleep && status.rate != 0)
            if interruption == nil { arbitration?.setPlaying(status.timeControlStatus != .paused) }
            if status.timeControlStatus == .paused { remember() }
        case .jumped, .outputRestored: break
        // It ends by that signal.
        case .outputLost where hasNoReader: break
        case .outputLost(let reason):
            if !screen.isJSON { screen.notice("\(reason); waiting for the sound server") }
        case .routeLost(let reason, let pauses):
            if !screen.isJSON { screen.notice(pauses ? "\(reason): paused\(wayOn)" : reason) }
        case .silenceRequested(true): await handle(.interrupted(by: nil))
        case .silenceRequested(false): await handle(.ended(resumes: true))
        case .outputGivenUp: giveUp()
        case .reconnecting(let item, let wait, let isNews):
            if isNews, !screen.isJSON { screen.notice(StreamText.lost(item, wait)) }
        case .reconnected(let item, let seconds):
            if !screen.isJSON { screen.notice(StreamText.back(item, after: seconds)) }
        case .stalled(let item): if !screen.isJSON { screen.notice(StreamText.stalled(item)) }
        case .titleChanged(_, let tags): screen.line(StreamText.onAir(tags))
        case .outputFailed where hasNoReader: ending = SessionEnding(signal: SIGPIPE)
        case .outputFailed(let reason):
            if !screen.isJSON { screen.error(reason) }
            ending = SessionEnding(status: .noOutput)
        case .finished: ending = SessionEnding(status: outcome)
        }
        let status = player.status
        if let event = PlayEvents.event(for: notice, item: status.currentItem, time: player.currentTime()) {
            screen.write(event)
        }
    }

    /// How to play on when the sink is gone, for those who have a keyboard.
    private var wayOn: String {
        guard keyboard != nil else { return "" }
        return options.output.device == nil ? ", space plays on elsewhere" : ", space plays on when it is back"
    }

    /// Whether the sound is written to standard output, which nothing reads any more.
    private var hasNoReader: Bool { options.output.output == .standardOutput && !StandardOutput.hasReader }

    private func giveUp() {
        if keyboard != nil {
            screen.notice("the sound server did not come back: paused, space tries again")
        } else {
            screen.error("the sound server did not come back")
            ending = SessionEnding(status: .noOutput)
        }
    }

    /// Draws changes, and again in a second while the display changes with time.
    private func refresh() {
        guard screen.isVisible else { return }
        screen.show(player.status, player.currentTime())
        waitForSubtitles()
        guard !willRedraw, let stream = screen.stream(), stream.changesByItself(player.status) else { return }
        willRedraw = true
        let source = source
        Task {
            try? await Task.sleep(for: .seconds(1))
            source.yield(.redraw)
        }
    }

    // MARK: Subtitles

    private func findSubtitles(of item: PlayerItem) {
        guard screen.showsProgress else { return }
        order { [self] in
            if let problem = await subtitles.begin(item, audioTrack) { screen.notice(problem) }
            source.yield(.redraw)
        }
    }

    /// Has the display drawn again when other subtitles are due, if that is before the next second.
    private func waitForSubtitles() {
        let time = player.currentTime()
        let isPlaying = player.status.timeControlStatus == .playing
        let next = isPlaying ? subtitles.shown(at: time).nextChange : nil
        let source = source
        subtitleTimer.set(for: next, now: time, rate: wanted.defaultRate) { source.yield(.redraw) }
    }

    // MARK: Keys

    private func perform(_ command: KeyCommand) {
        let player = player
        switch command {
        case .togglePause: order { [self] in await togglePause() }
        case .stepFrame: film?.step()
        case .seek(let seconds):
            guard player.status.currentItem?.info?.isSeekable != false else {
                return screen.line(StyledText("This stream has no other place to go to"))
            }
            order { await player.seek(by: MediaTime(seconds: seconds)) }
        case .previousItem: leaveItem { await player.returnToPreviousItem() }
        case .nextItem: leaveItem { await player.advanceToNextItem() }
        case .seekChapter(let count): seekChapter(by: count)
        case .changeVolume(let points):
            wanted.volume = Volume(percent: wanted.volume.percent + points)
            let volume = wanted.volume
            order { await player.setVolume(volume) }
        case .toggleMute:
            wanted.isMuted.toggle()
            let isMuted = wanted.isMuted
            order { await player.setMuted(isMuted) }
        case .multiplySpeed(let factor): setSpeed(wanted.defaultRate * factor)
        case .resetSpeed: setSpeed(1)
        case .toggleLoopItem:
            wanted.loopMode = wanted.loopMode == .item ? .off : .item
            let mode = wanted.loopMode
            order { await player.setLoopMode(mode) }
        case .cycleAudioTrack: cycleAudioTrack()
        case .cycleVideoTrack: screen.line(StyledText(film?.cycleTrack() ?? "Films are shown with --video"))
        case .cycleSubtitles: screen.line(StyledText(DisplayText.harmless(subtitles.cycle())))
        case .toggleSubtitles: screen.line(StyledText(DisplayText.harmless(subtitles.toggle())))
        case .showPosition: showPosition()
        case .showHelp: screen.lines(KeyBindings.help(width: screen.columns))
        case .goOnInBackground: beginHandover()
        case .quitKeepingPosition:
            memory.isWanted = true
            ending = SessionEnding(status: outcome)
        case .quit: ending = SessionEnding(status: outcome)
        }
    }

    /// Starts a command without waiting for its end, so that a later command can overtake a seek.
    ///
    /// Commands reach the player in the order of the keys.
    func order(_ command: @escaping @MainActor () async -> Void) {
        Task.immediate { await command() }
    }

    private func leaveItem(_ command: @escaping @MainActor () async -> Void) {
        remember()
        order(command)
    }

    private func setSpeed(_ factor: Double) {
        // The rounding error of ten steps up and ten down is not shown.
        let speed = min(max((factor * 10_000).rounded() / 10_000, 0.25), 4)
        wanted.defaultRate = speed
        let player = player
        order { try? await player.setSpeed(speed) }
    }

    private func seekChapter(by count: Int) {
        guard let item = player.status.currentItem else { return }
        let player = player
        let origin = item.entry.start ?? .zero
        switch ChapterStep.step(by: count, from: origin + player.currentTime(), in: item.info?.chapters ?? []) {
        case .seek(let target): order { await player.seek(to: max(.zero, target - origin)) }
        case .nextItem: leaveItem { await player.advanceToNextItem() }
        case .none: break
        }
    }

    private func cycleAudioTrack() {
        guard let info = player.status.currentItem?.info else { return }
        let group = MediaSelectionGroup(.audible, of: info)
        let heard = group.option(for: audioTrack).flatMap { group.options.firstIndex(of: $0) } ?? 0
        let next = (heard + 1) % max(1, group.options.count)
        guard next != heard else { return screen.line(StyledText("There is no other audio track")) }
        let track = TrackSelection.preferred(next + 1)
        audioTrack = track
        let name = DisplayText.harmless(group.options[next].name)
        screen.line(StyledText("Audio track \(next + 1)/\(group.options.count)  \(name)"))
        let player = player
        order { await player.setAudioTrack(track) }
    }

    private func showPosition() {
        guard let item = player.status.currentItem else { return }
        let time = player.currentTime()
        var text = TimeText.exact(time)
        if let duration = item.duration, duration > .zero {
            text +=
                " / \(TimeText.exact(duration)) (\(Int(saturating: (time.seconds / duration.seconds * 100).rounded()))%)"
        }
        screen.line(StyledText(text))
        if let path = soundPath(of: item) {
            screen.line(StyledText("Sound: \(path), from \(path.source) to \(path.sink)"))
        }
        if let report = film?.report { screen.line(StyledText(report)) }
    }

    /// The way of an item's samples to the sink; `nil` where there is none.
    private func soundPath(of item: PlayerItem) -> SoundPath? {
        // Another speed is another sound.
        guard let output, let source = item.sourceFormat, player.status.defaultRate == 1 else { return nil }
        let gain = options.sound.replayGainSettings.gain(for: item.info?.replayGain ?? ReplayGain(), playsAlbum: true)
        return SoundPath(
            source: source,
            rendered: output.format,
            output: output.format,
            sink: output.sinkFormat,
            isScaled: gain != .unity || player.status.volume != .full
        )
    }

    // MARK: Signals

    private func handle(signal number: Int32) async {
        switch number {
        case SIGINT, SIGTERM, SIGHUP: ending = SessionEnding(signal: number)
        case SIGWINCH:
            if screen.isVisible { screen.appear(player.status, player.currentTime()) }
            film?.place()
        case SIGTSTP: await stop()
        case SIGCONT: await goOn()
        default: break
        }
    }

    /// Restores the terminal and stops, like SIGTSTP.
    private func stop() async {
        stopped = (player.status.timeControlStatus != .paused, ())
        await player.pause()
        keyboard?.setReading(false)
        film?.pause()
        screen.disappear()
        Terminal.restore()
        kill(getpid(), SIGSTOP)
    }

    /// Continues after SIGCONT, in the foreground or in the background.
    private func goOn() async {
        keyboard?.setReading(false)
        screen.isVisible = false
        takeTerminal()
        let wasPlaying = stopped?.wasPlaying ?? false
        stopped = nil
        if wasPlaying { await playIfAdmitted() }
    }

    // MARK: Sleep and positions

    private func startSleepTimer(_ source: AsyncStream<Input>.Continuation) {
        guard let sleep = options.selection.sleep else { return }
        Task {
            try? await Task.sleep(for: .seconds(saturating: sleep.seconds))
            await fadeOut()
            source.yield(.sleepIsOver)
        }
    }

    /// Fades out; the volume stays as it is.
    private func fadeOut() async {
        guard player.status.timeControlStatus == .playing, !player.status.isMuted else { return }
        isFallingAsleep = true
        await player.setDuck(.silence, over: Self.sleepFade)
        // Where the fade is heard a little later, what is missing of it is too quiet to be heard.
        try? await Task.sleep(for: .seconds(saturating: Self.sleepFade))
    }

    /// Length of the fade before the end that `--sleep` sets, in seconds.
    private static let sleepFade = 2.0

    /// Stores the position of the current item.
    func remember() {
        guard let item = player.status.currentItem else { return }
        if let problem = memory.remember(item, at: player.currentTime()) { screen.notice(problem) }
    }

    /// Resumes an item that starts by itself at its stored position.
    private func resume(_ item: PlayerItem) async {
        guard let time = memory.position(for: item) else { return }
        memory.markResumed(item.id)
        await player.seek(to: time)
    }
}

extension PlayerConfiguration {
    /// The command line's options for how items are read and sound.
    init(_ options: PlayOptions) {
        self.init()
        routePatience = outputPatience
        audioTrack = TrackSelection(options.selection.audioTrack)
        isGapless = options.sound.gapless
        replayGain = options.sound.replayGainSettings
        stream = options.stream.streamOptions
    }
}

extension Player {
    /// Sets the volume and the speed.
    func apply(_ sound: SoundOptions) {
        if sound.volume != .full { setVolume(sound.volume) }
        if sound.pitch == .follow { setTimePitchAlgorithm(.varispeed) }
        if sound.speed != 1 { try? setSpeed(sound.speed) }
    }
}

extension TrackSelection {
    init(_ option: TrackOption) {
        switch option {
        case .automatic: self = .automatic
        case .number(let number): self = .number(number)
        case .language(let code): self = .language(code)
        case .languages(let languages): self = .languages(languages)
        }
    }
}
