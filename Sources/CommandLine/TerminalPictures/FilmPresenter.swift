package import AudioTypes
internal import Files
private import Glibc
package import PictureValues
package import PictureWorkers
package import Threads

/// Shows a film's frames in a terminal, in time with its sound.
///
/// The sound never waits: a frame that is late is left out. A thread of its own decodes and writes, so that a slow
/// terminal holds up nothing else.
package final class FilmPresenter: Sendable {
    /// The sound's time.
    package struct Clock: Sendable {
        /// In seconds of the item.
        package var time: Double
        /// Seconds of the item in one second; 0 while it is paused.
        package var rate: Double

        package init(time: Double, rate: Double) { (self.time, self.rate) = (time, rate) }
    }

    /// The outcome of opening a film, with the number that ``show(_:stream:offset:)`` gave it.
    package enum Event: Sendable, Hashable {
        /// This stream of the film, by its index, can be shown as soon as ``place(on:)`` tells where.
        case opened(Int, stream: Int)
        /// There are no moving pictures, for a reason in words unless the medium has none.
        case failed(Int, String?)
    }

    /// The frames that were shown, and their delays.
    package struct Figures: Sendable {
        package var shown = 0
        /// The sum of how much later than their time frames were written, and the longest, in seconds.
        package var lateness = 0.0
        package var worst = 0.0

        /// For people, in one line.
        package var text: String {
            let average = Int(saturating: lateness / Double(max(1, shown)) * 1_000)
            return "\(shown) frames shown, \(average) ms late on average, \(Int(saturating: worst * 1_000)) ms at most"
        }
    }

    /// Where a film comes from.
    package enum Medium: Sendable {
        case file(FilePath)
        /// Bytes that `open` makes and that are asked for on the presenter's thread, until the interrupt is raised.
        case bytes(name: String, Interrupt, open: @Sendable () throws -> any FilmBytes)

        fileprivate var name: String {
            switch self {
            case .file(let path): String(decoding: path.bytes, as: UTF8.self)
            case .bytes(let name, _, _): name
            }
        }

        fileprivate func interrupt() { if case .bytes(_, let interrupt, _) = self { interrupt.raise() } }

        fileprivate var isInterrupted: Bool {
            if case .bytes(_, let interrupt, _) = self { interrupt.isRaised } else { false }
        }
    }

    private struct Film: Sendable {
        let medium: Medium
        /// The index of the stream to show; `nil` for the one that is best.
        let stream: Int?
        /// Where the item begins in it, in seconds.
        let offset: Double
        let number: Int
    }

    private struct State {
        var film: Film?
        /// The part of the terminal, at its top.
        var canvas: TerminalCanvas?
        /// Whether all is to be written.
        var isWhole = true
        /// How often something changed that the thread has to look at.
        var changes = 0
        var filmCount = 0
        var isDrawing = false
        var isOver = false
        var hasEnded = false
        var figures = Figures()
        /// When the frame on the screen ends, in seconds of the item.
        var end: Double?
    }

    /// One look at the state.
    private struct Task {
        let film: Film
        let canvas: TerminalCanvas?
        let isWhole: Bool
        let changes: Int
    }

    private let state = Monitor(State())
    private let clock: @Sendable () -> Clock
    private let write: @Sendable ([UInt8]) -> Void
    private let tell: @Sendable (Event) -> Void

    /// A jump of the sound's time, in seconds; less is caught up with frame by frame.
    private static let jump = 1.0
    /// In seconds: frames that are later are left out.
    private static let tolerance = 0.04

    /// - Parameters:
    ///   - clock: May be called from any thread.
    ///   - write: Writes to the terminal, all at once.
    ///   - tell: Is called on the presenter's thread.
    package init(
        clock: @escaping @Sendable () -> Clock,
        write: @escaping @Sendable ([UInt8]) -> Void,
        tell: @escaping @Sendable (Event) -> Void
    ) {
        (self.clock, self.write, self.tell) = (clock, write, tell)
        WorkThread.startWhenPossible(named: "segue-film") { self.run() }
    }

    // MARK: - Orders

    /// Opens the film of an item that plays; ``tell`` gets what becomes of it.
    ///
    /// - Parameters:
    ///   - stream: The index of the stream to show; `nil` for the one that is best.
    ///   - offset: Where the item begins in the medium, in seconds.
    /// - Returns: The film's number; events of films before may come later.
    package func show(_ medium: Medium, stream: Int? = nil, offset: Double) -> Int {
        state.change { state in
            state.film?.medium.interrupt()
            state.filmCount += 1
            state.film = Film(medium: medium, stream: stream, offset: offset, number: state.filmCount)
            state.canvas = nil
            state.changes += 1
            return state.filmCount
        }
    }

    /// Tells where the film is shown; `nil`: nowhere, for now.
    ///
    /// Waits for a frame that is being written.
    package func place(on canvas: TerminalCanvas?) {
        state.wait { state -> Void? in
            if state.isDrawing { return nil }
            (state.canvas, state.isWhole) = (canvas, true)
            state.changes += 1
            return ()
        }
    }

    /// Tells that the sound jumped, paused or went on.
    package func recordChange() { state.change { $0.changes += 1 } }

    /// Shows no film any more.
    package func hide() {
        place(on: nil)
        state.change { state in
            state.film?.medium.interrupt()
            state.film = nil
        }
    }

    /// Has the thread end, and waits until nothing is written any more.
    ///
    /// Blocks; for the decoder, whose file may be on a disk that does not answer, for a moment only.
    package func finish() {
        state.wait { state -> Void? in
            if state.isDrawing { return nil }
            state.isOver = true
            state.film?.medium.interrupt()
            return ()
        }
        _ = state.wait(until: .now + Self.patience, for: { $0.hasEnded ? true : nil })
    }

    /// How long the decoder is waited for at the end, in seconds.
    private static let patience = 0.5

    /// When the frame on the screen ends, in seconds of the item; `nil` for the last one.
    package var endOfFrame: Double? { state.read(\.end) }

    package var figures: Figures { state.read(\.figures) }

    // MARK: - The thread

    private func run() {
        var showing: Showing?
        while let task = nextTask() {
            if showing?.film.number != task.film.number { showing = open(task.film) }
            guard let canvas = task.canvas, let open = showing, open.worker != nil else {
                waitForChange(after: task)
                continue
            }
            showing = presentOrRestart(open, canvas, task)
        }
        // Its process is waited for, too.
        showing = nil
        state.change { $0.hasEnded = true }
    }

    /// The film that the thread shows.
    private struct Showing {
        let film: Film
        var worker: FilmWorker?
        /// The frame on the screen.
        var span: (begin: Double, end: Double?)?
        /// How often its decoder has crashed, and what it was asked for last, in seconds of the film.
        var crashes = 0
        var asked = 0.0
        /// Where it goes on after a crash: behind what it cannot decode.
        var restart: Double?
        /// How long it took to write it, in seconds.
        var writing = 0.0
    }

    private func nextTask() -> Task? {
        state.wait { state -> Task?? in
            if state.isOver { return .some(nil) }
            guard let film = state.film else { return nil }
            return Task(film: film, canvas: state.canvas, isWhole: state.isWhole, changes: state.changes)
        }
    }

    private func waitForChange(after task: Task) {
        state.wait { $0.changes != task.changes || $0.isOver ? () : nil }
    }

    private func open(_ film: Film) -> Showing {
        var showing = Showing(film: film)
        do {
            showing.worker = try worker(for: film)
            tell(showing.worker.map { .opened(film.number, stream: $0.stream) } ?? .failed(film.number, nil))
        } catch let error as PictureError where error.isOfMediumWithoutPictures {
            tell(.failed(film.number, nil))
        } catch {
            tell(.failed(film.number, reason(error, film)))
        }
        return showing
    }

    /// - Returns: `nil` for what is neither a file nor on the network.
    private func worker(for film: Film) throws -> FilmWorker? {
        let threads = min(4, max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))))
        switch film.medium {
        case .file(let path):
            let file = try Descriptor(path, .reading)
            guard try file.status.kind == .file else { return nil }
            return try FilmWorker(file, stream: film.stream, program: PictureTerminal.program, threads: threads)
        case .bytes(_, _, let open):
            return try FilmWorker(try open(), stream: film.stream, program: PictureTerminal.program, threads: threads)
        }
    }

    /// - Returns: `nil` when the film is not wanted any more.
    private func reason(_ error: any Error, _ film: Film) -> String? {
        film.medium.isInterrupted ? nil : "\(film.medium.name): \(error)"
    }

    /// Shows the next frame; after a crash of the decoder another one goes on at a keyframe behind.
    private func presentOrRestart(_ showing: Showing, _ canvas: TerminalCanvas, _ task: Task) -> Showing {
        var showing = showing
        do {
            try present(&showing, canvas, task)
        } catch {
            guard case PictureError.ended = error, showing.crashes < Self.mostCrashes,
                let worker = try? worker(for: task.film)
            else {
                tell(.failed(task.film.number, reason(error, task.film)))
                showing.worker = nil
                return showing
            }
            (showing.worker, showing.span) = (worker, nil)
            (showing.crashes, showing.restart) = (showing.crashes + 1, showing.asked)
            // The new one does not know what is on the screen.
            state.change { $0.isWhole = true }
        }
        return showing
    }

    /// Of one film's decoders.
    private static let mostCrashes = 5

    /// Shows the next frame when its time has come.
    private func present(_ showing: inout Showing, _ canvas: TerminalCanvas, _ task: Task) throws {
        guard let worker = showing.worker else { return }
        let now = clock()
        let time = now.time + task.film.offset
        let hasJumped =
            showing.span.map { time < $0.begin - Self.jump || time > ($0.end ?? .infinity) + Self.jump } ?? true
        // While it plays, the frame after the one on the screen is wanted.
        var wanted = now.rate > 0 && !hasJumped ? max(time, showing.span?.end ?? time) : time
        let restart = showing.restart
        if let restart { wanted = max(wanted, restart) }
        let isBehind = !hasJumped && showing.span?.end.map { time > $0 + Self.tolerance } ?? false
        let fitted = canvas.fitted(to: worker.size, enlarges: true)
        let order = FilmOrder.Frame(
            at: wanted,
            clock: isBehind ? .init(time: time + showing.writing * now.rate, rate: now.rate) : nil,
            approach: restart == nil ? hasJumped ? .first : .exact : .next,
            known: task.isWhole ? nil : showing.span?.begin,
            isWhole: task.isWhole,
            column: 1 + (canvas.columns - fitted.columns) / 2,
            row: 1 + (canvas.rows - fitted.rows) / 2,
            on: fitted
        )
        showing.asked = wanted
        guard let frame = try worker.frame(order) else { throw PictureError.noVideo }
        if now.rate > 0, !hasJumped || restart != nil { wait(for: frame.begin - task.film.offset) }
        let begin = HostTime.now
        draw(frame, task, isInTime: !hasJumped)
        showing.restart = nil
        showing.writing = min(Self.jump, HostTime.now - begin)
        showing.span = (frame.begin, frame.end)
        let isCurrent = frame.end.map { $0 > wanted } ?? true
        if isCurrent, now.rate == 0 || frame.end == nil { waitForChange(after: task) }
    }

    /// Waits for a moment of the item's time.
    private func wait(for time: Double) {
        while true {
            let now = clock()
            guard now.rate > 0, now.time < time else { return }
            let deadline = HostTime.now + min(1, (time - now.time) / now.rate)
            let changes = state.read(\.changes)
            // A pause or jump makes this frame the wrong one; it is drawn all the same, since later ones build on it.
            if state.wait(until: deadline, for: { $0.changes != changes || $0.isOver ? true : nil }) != nil { return }
        }
    }

    /// - Parameter isInTime: Whether it follows another one, and not a jump, whose first frame is late as it is.
    private func draw(_ frame: FilmWorker.Frame, _ task: Task, isInTime: Bool) {
        let mayDraw = state.change { state in
            // The screen was cleared, or is another program's now.
            state.isDrawing = !state.isOver && state.canvas == task.canvas && state.isWhole == task.isWhole
            return state.isDrawing
        }
        guard mayDraw else { return state.change { $0.isWhole = true } }
        if !frame.text.isEmpty {
            // Shown at once by terminals that know synchronised output, and without moving the cursor for others.
            write(Array("\u{1b}[?2026h\u{1b}7".utf8) + frame.text + Array("\u{1b}8\u{1b}[?2026l".utf8))
        }
        let now = clock()
        let lateness = now.rate > 0 && isInTime ? max(0, now.time + task.film.offset - frame.begin) : 0
        state.change { state in
            (state.isDrawing, state.isWhole) = (false, false)
            state.end = frame.end.map { $0 - task.film.offset }
            state.figures.shown += 1
            state.figures.lateness += lateness
            state.figures.worst = max(state.figures.worst, lateness)
        }
    }
}

extension PictureError {
    /// Whether a medium has no moving pictures, which is nothing to tell of.
    fileprivate var isOfMediumWithoutPictures: Bool {
        switch self {
        case .noVideo, .notAPicture: true
        case .reported(let words): words == PictureError.noVideo.description
        default: false
        }
    }
}
