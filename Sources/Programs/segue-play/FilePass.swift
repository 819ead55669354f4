import AudioTypes
import CommandOptions
import Foreground
import Glibc
import Outputs
import Playback
import TerminalText

/// Plays items to an output that takes frames as fast as they are decoded, and shows how far it is.
@MainActor
struct FilePass {
    let options: PlayOptions
    let screen: Screen
    let inputs: AsyncStream<PlaySession.Input>
    let source: AsyncStream<PlaySession.Input>.Continuation

    /// The state of a pass, and its end.
    struct Course {
        var reporter = PlayReporter()
        /// Whether nothing is left to play.
        var isOver = false
        /// Why the output has failed.
        var failure: String?
        /// Set where a signal has ended it.
        var ending: SessionEnding?
        fileprivate var isClosed = false

        /// Whether all was played.
        var isWhole: Bool { isOver && failure == nil && reporter.playedCount > 0 }
    }

    /// Plays to the end, and completes the output.
    ///
    /// - Parameter tell: Receives the player's notices.
    func run(
        _ entries: [MediaEntry],
        to output: any AudioOutput,
        _ tell: (PlayNotice, Player) -> Void = { _, _ in }
    ) async -> Course {
        let player = Player(output: output, configuration: PlayerConfiguration(options))
        await begin(player, entries)
        var course = Course()
        var isClosing = false
        for await input in inputs {
            handle(input, player, &course, tell)
            // Completing the output may fail, too, and nothing of this player may be taken for the next one's.
            if course.isClosed { break }
            guard !isClosing, course.isOver || course.failure != nil || course.ending != nil else { continue }
            isClosing = true
            await player.close()
        }
        return course
    }

    private func begin(_ player: Player, _ entries: [MediaEntry]) async {
        let events = await player.events()
        let source = source
        Task {
            for await event in events { source.yield(.player(event)) }
            source.yield(.playerClosed)
        }
        await player.append(entries.map(options.selection.limited))
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

    private func handle(
        _ input: PlaySession.Input,
        _ player: Player,
        _ course: inout Course,
        _ tell: (PlayNotice, Player) -> Void
    ) {
        switch input {
        case .player(let event):
            for notice in course.reporter.handle(event, status: player.status) {
                if case .outputFailed(let reason) = notice { course.failure = reason }
                if case .finished = notice { course.isOver = true }
                tell(notice, player)
            }
        case .tick(let time): screen.show(player.status, time)
        case .signal(let number): handle(signal: number, player, &course)
        case .playerClosed: course.isClosed = true
        case .keys, .arbitration, .remote, .machineSleep, .coverFile, .handedOver, .sleepIsOver, .redraw, .film, .cover:
            break
        }
    }

    private func handle(signal number: Int32, _ player: Player, _ course: inout Course) {
        switch number {
        case SIGTSTP:
            screen.disappear()
            Terminal.restore()
            kill(getpid(), SIGSTOP)
        case SIGCONT, SIGWINCH: screen.appear(player.status, player.currentTime())
        default: course.ending = course.ending ?? SessionEnding(signal: number)
        }
    }
}
