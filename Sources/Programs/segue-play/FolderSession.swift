import AudioTypes
import Encoding
import Foreground
import Glibc
import Playback
import TerminalText
import Threads
import Verbs

/// Makes a file of each item (`--output dir:`), one after the other, each in its own format.
///
/// A file that is not complete in the end is removed.
@MainActor
final class FolderSession {
    private let options: PlayOptions
    private let folder: String
    private let screen: Screen
    private let leaving: Interrupt
    private var made = 0
    private var failed = 0
    private var ending: SessionEnding?

    init(_ options: PlayOptions, _ folder: String, _ screen: Screen, _ leaving: Interrupt) {
        self.options = options
        self.folder = folder.hasSuffix("/") && folder != "/" ? String(folder.dropLast()) : folder
        self.screen = screen
        self.leaving = leaving
    }

    /// Makes the files of all items that can be played.
    func run(
        _ expansion: Expansion,
        _ inputs: AsyncStream<PlaySession.Input>,
        _ source: AsyncStream<PlaySession.Input>.Continuation
    ) async -> SessionEnding {
        let entries = expansion.entries
        failed = expansion.problems.count
        var names = FileNames(fileType: options.output.fileType ?? "flac")
        let paths = entries.enumerated().map { "\(folder)/\(names.name(of: $1, number: $0 + 1))" }
        do {
            // What cannot be written at all is told before anything is.
            _ = try EncodingSink.format(for: paths[0])
            try await Overwriting(options, entries).check(paths, leaving: leaving)
            try makeFolder()
        } catch {
            return PlaySession.fail(.noOutput, expansion.problems + ["\(error)"], screen)
        }
        screen.write(PlayEvents.started(count: entries.count, output: options.output.output.description))
        for problem in expansion.problems { screen.error(problem) }
        for (index, entry) in entries.enumerated() where ending == nil {
            screen.place = (index + 1, entries.count)
            await make(paths[index], of: entry, inputs, source)
        }
        screen.disappear()
        Terminal.restore()
        return finish(of: entries.count)
    }

    private func finish(of count: Int) -> SessionEnding {
        let ending = ending ?? SessionEnding(status: failed > 0 ? .someFailed : .success)
        var summary = "\(made) file\(made == 1 ? "" : "s") in \(DisplayText.harmless(folder))"
        if made < count { summary += ", \(count - made) not made" }
        screen.line(StyledText(summary))
        screen.write(PlayEvents.finished(played: made, failed: failed, exitStatus: ending.status.rawValue))
        return ending
    }

    private func makeFolder() throws {
        guard unsafe mkdir(folder, 0o777) != 0, errno != EEXIST else { return }
        throw OutputRefusal(description: unsafe "\(folder): \(String(cString: strerror(errno)))")
    }

    // MARK: One file

    private func make(
        _ path: String,
        of entry: MediaEntry,
        _ inputs: AsyncStream<PlaySession.Input>,
        _ source: AsyncStream<PlaySession.Input>.Continuation
    ) async {
        let opened: OpenedOutput
        do {
            var file = options
            file.output.output = .file(path)
            opened = try await openOutput(file, for: [entry])
        } catch {
            screen.error("\(error)")
            failed += 1
            ending = SessionEnding(status: .noOutput)
            return
        }
        let player = Player(output: opened.output, configuration: PlayerConfiguration(options))
        await begin(player, entry, source)
        var file = FileInProgress()
        var isClosing = false
        for await input in inputs {
            await handle(input, player, &file)
            // Completing the file may fail, too, and nothing of this player may be taken for the next one's.
            if file.isClosed { break }
            guard !isClosing, file.isOver || ending != nil else { continue }
            isClosing = true
            await player.close()
        }
        settle(path, file)
    }

    /// What is known of the file that is being made.
    private struct FileInProgress {
        var reporter = PlayReporter()
        /// Whether nothing is left to play.
        var isOver = false
        var isClosed = false
        var hasFailed = false
    }

    private func begin(
        _ player: Player,
        _ entry: MediaEntry,
        _ source: AsyncStream<PlaySession.Input>.Continuation
    ) async {
        let events = await player.events()
        Task {
            for await event in events { source.yield(.player(event)) }
            source.yield(.playerClosed)
        }
        await player.append([options.selection.limited(entry)])
        await player.apply(options.sound)
        screen.stream = { player.streamStatus.map { ProgressLine.Stream($0, now: .now) } }
        screen.appear(player.status, player.currentTime())
        await player.play()
        guard screen.showsProgress else { return }
        Task {
            for await time in await player.periodicTimes(every: Self.step) { source.yield(.tick(time)) }
        }
    }

    /// Of the progress line, in media time: files are made many times faster.
    private static let step = MediaTime(seconds: 5)

    private func handle(_ input: PlaySession.Input, _ player: Player, _ file: inout FileInProgress) async {
        switch input {
        case .player(let event):
            for notice in file.reporter.handle(event, status: player.status) { tell(placed(notice), player, &file) }
        case .tick(let time): screen.show(player.status, time)
        case .signal(let number): handle(signal: number, player)
        case .playerClosed: file.isClosed = true
        case .keys, .arbitration, .remote, .machineSleep, .coverFile, .handedOver, .sleepIsOver, .redraw, .film, .cover:
            break
        }
    }

    /// A notice with the item's place among all.
    private func placed(_ notice: PlayNotice) -> PlayNotice {
        guard case .itemStarted(let item, _, _) = notice, let place = screen.place else { return notice }
        return .itemStarted(item, index: place.number - 1, count: place.count)
    }

    private func tell(_ notice: PlayNotice, _ player: Player, _ file: inout FileInProgress) {
        switch notice {
        case .itemFailed(let item): if !screen.isJSON { screen.error(ItemText.failure(item)) }
        case .itemDamaged(_, let text): if !screen.isJSON { screen.error(text) }
        case .outputFailed(let reason):
            if !screen.isJSON { screen.error(reason) }
            file.hasFailed = true
            ending = SessionEnding(status: .noOutput)
        case .finished: file.isOver = true
        default: break
        }
        if let event = PlayEvents.event(for: notice, item: player.status.currentItem, time: player.currentTime()) {
            screen.write(event)
        }
    }

    private func handle(signal number: Int32, _ player: Player) {
        switch number {
        case SIGTSTP:
            screen.disappear()
            Terminal.restore()
            kill(getpid(), SIGSTOP)
        case SIGCONT, SIGWINCH: screen.appear(player.status, player.currentTime())
        default: ending = ending ?? SessionEnding(signal: number)
        }
    }

    /// Counts a file, or removes what was not completed.
    private func settle(_ path: String, _ file: FileInProgress) {
        failed += max(file.reporter.failedCount, file.hasFailed ? 1 : 0)
        guard file.isOver, !file.hasFailed, file.reporter.playedCount > 0 else {
            unsafe _ = unlink(path)
            return
        }
        made += 1
        screen.line(StyledText(DisplayText.harmless(path)))
        screen.write(PlayEvents.fileWritten(path))
    }
}
