import AudioTypes
import CommandOptions
import Encoding
import Foreground
import Glibc
import Playback
import TerminalText
import Threads

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
        let pass = FilePass(options: options, screen: screen, inputs: inputs, source: source)
        var gains: [ReplayGain] = []
        do {
            // An item that cannot be written at all is told before anything is written.
            _ = try EncodingSink.format(for: paths[0])
            if options.output.writeReplayGain { try LoudnessPass.check(paths, entries) }
            try await Overwriting(options, entries).check(paths, leaving: leaving)
            gains = try await measure(entries, paths, pass)
            try makeFolder()
        } catch {
            return PlaySession.fail(.noOutput, expansion.problems + ["\(error)"], screen)
        }
        screen.write(PlayEvents.started(count: entries.count, output: options.output.output.description))
        for problem in expansion.problems { screen.error(problem) }
        for (index, entry) in entries.enumerated() where ending == nil {
            screen.place = (index + 1, entries.count)
            await make(paths[index], of: entry, gains.isEmpty ? ReplayGain() : gains[index], pass)
        }
        screen.disappear()
        Terminal.restore()
        return finish(of: entries.count)
    }

    /// Measures the gains of all files and of their albums, if they are wanted.
    ///
    /// - Returns: None if they are not, or if a signal came.
    private func measure(_ entries: [MediaEntry], _ paths: [String], _ pass: FilePass) async throws -> [ReplayGain] {
        guard options.output.writeReplayGain else { return [] }
        let options = options
        let names = try await WorkThread.run(named: "segue-probe") {
            entries.map { FileContents(of: [$0], options).album }
        }
        var gains: [ReplayGain] = []
        var albums: [[String]: Loudness] = [:]
        for (index, entry) in entries.enumerated() {
            switch try await LoudnessPass(pass: pass).measure([entry], for: paths[index]) {
            case .measured(let loudness):
                gains.append(ReplayGain(track: loudness, album: nil))
                guard let loudness, let name = names[index] else { continue }
                albums[name, default: Loudness(blocks: LoudnessBlocks(), truePeak: 0)].add(loudness)
            case .ended(let ending):
                self.ending = ending
                return []
            }
        }
        return zip(gains, names).map { gain, name in
            let album = ReplayGain(track: nil, album: gain.trackGain == nil ? nil : name.flatMap { albums[$0] })
            return ReplayGain(
                trackGain: gain.trackGain,
                trackPeak: gain.trackPeak,
                albumGain: album.albumGain,
                albumPeak: album.albumPeak
            )
        }
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

    private func make(_ path: String, of entry: MediaEntry, _ gain: ReplayGain, _ pass: FilePass) async {
        let opened: OpenedOutput
        do {
            var file = options
            file.output.output = .file(path)
            opened = try await openOutput(file, for: [entry], gain)
        } catch {
            screen.error("\(error)")
            failed += 1
            ending = SessionEnding(status: .noOutput)
            return
        }
        let course = await pass.run([entry], to: opened.output) { tell(placed($0), $1) }
        if course.failure != nil { ending = SessionEnding(status: .noOutput) }
        ending = ending ?? course.ending
        failed += max(course.reporter.failedCount, course.failure == nil ? 0 : 1)
        // One that was complete before a signal came is kept.
        guard course.isWhole else {
            unsafe _ = unlink(path)
            return
        }
        made += 1
        screen.line(StyledText(DisplayText.harmless(path)))
        screen.write(PlayEvents.fileWritten(path))
    }

    /// A notice with the item's place among all.
    private func placed(_ notice: PlayNotice) -> PlayNotice {
        guard case .itemStarted(let item, _, _) = notice, let place = screen.place else { return notice }
        return .itemStarted(item, index: place.number - 1, count: place.count)
    }

    private func tell(_ notice: PlayNotice, _ player: Player) {
        switch notice {
        case .itemFailed(let item): if !screen.isJSON { screen.error(ItemText.failure(item)) }
        case .itemDamaged(_, let text): if !screen.isJSON { screen.error(text) }
        case .outputFailed(let reason): if !screen.isJSON { screen.error(reason) }
        default: break
        }
        if let event = PlayEvents.event(for: notice, item: player.status.currentItem, time: player.currentTime()) {
            screen.write(event)
        }
    }
}
