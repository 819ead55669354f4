import CommandOptions
import Glibc
import ProtocolClient
import TerminalText
import TextEncodings
import Threads

/// The loop of `segue lyrics --follow`: it sleeps in poll(2) until the server reports a change or the next line is sung.
final class LyricsFollower {
    /// Between attempts to reconnect, in seconds.
    private static let pause = 1.0

    private let session: Session
    private var connection: RemoteConnection?
    private let signals: Int32
    private let screen: LyricsScreen?
    private var place = SungPlace()
    private var song: RemoteSong?
    private var lyrics: LyricsBlock?
    /// The line that was printed last, where there is no screen.
    private var printed: Int?

    init(_ session: Session) {
        self.session = session
        connection = session.connection
        let isLive = session.console.isTerminal && TerminalTraits.isCapable
        screen = isLive ? LyricsScreen(session.console) : nil
        signals = Interrupts.receive(
            [SIGINT, SIGTERM, SIGHUP] + (isLive ? [SIGWINCH, SIGTSTP, SIGCONT] : [])
        )
    }

    func run() throws {
        screen?.open()
        defer { screen?.close() }
        while true {
            do {
                guard let connection else {
                    reconnect()
                    continue
                }
                try fetch(connection)
                show()
                try connection.beginIdle(["player", "options"])
                waitForChange(connection)
                _ = try connection.endIdle()
            } catch let error as RemoteError where error.refusal == nil {
                connection = nil
                (song, lyrics) = (nil, nil)
                screen?.show("waiting for the server at \(session.connection.address)")
            }
        }
    }

    private func fetch(_ connection: RemoteConnection) throws {
        let replies = try connection.run([Request("status"), Request("currentsong")])
        guard replies.count == 2 else { return }
        place = SungPlace(ServerStatus(replies[0]), at: monotonicSeconds())
        let current = place.isStopped ? nil : replies[1].songs.first
        guard current?.id != song?.id || current?.uri != song?.uri else { return }
        song = current
        lyrics = nil
        if let current { lyrics = try connection.lyrics(of: current) }
        printed = nil
    }

    /// Shows each line in its time until the server reports a change.
    private func waitForChange(_ connection: RemoteConnection) {
        while true {
            let limit = lyrics.flatMap { place.secondsToNextLine($0, at: monotonicSeconds()) }
            let ready = Interrupts.wait(for: [connection.descriptor, signals], seconds: limit)
            if ready.contains(signals) { obeySignals() }
            if ready.contains(connection.descriptor) { return }
            show()
        }
    }

    private func reconnect() {
        let ready = Interrupts.wait(for: [signals], seconds: Self.pause)
        if ready.contains(signals) { obeySignals() }
        connection = session.reconnected()
    }

    private func obeySignals() {
        for number in Interrupts.take(from: signals) {
            switch number {
            case SIGWINCH: show()
            case SIGTSTP: screen?.suspend()
            case SIGCONT: screen?.open()
            default:
                screen?.close()
                ProcessSignals.die(by: number)
            }
        }
    }

    // MARK: Display

    private func show() {
        let now = monotonicSeconds()
        guard let screen else { return printLine(lyrics?.index(at: place.elapsed(at: now))) }
        guard let song else { return screen.show("nothing is playing") }
        let heading = song.text(session.options.songFormat ?? .usual)
        guard let lyrics else { return screen.show("\(heading): there are no lyrics") }
        let current = lyrics.index(at: place.elapsed(at: now))
        screen.show(
            LyricsPage(
                heading: heading,
                lines: lyrics.lines.map(\.text),
                current: current,
                middle: current ?? place.plainIndex(lyrics, at: now) ?? 0,
                isMarked: lyrics.isSynced && !session.console.inColour
            )
        )
    }

    /// Prints the line that is sung if it is another one than before; lyrics without times at once.
    private func printLine(_ index: Int?) {
        guard let lyrics else { return }
        if !lyrics.isSynced, printed == nil {
            printed = 0
            for line in lyrics.lines { print(line) }
        } else if let index, index != printed {
            printed = index
            print(lyrics.lines[index])
        }
        session.console.flush()
    }

    private func print(_ line: LyricsBlock.Line) {
        guard case .json = session.console.form else { return session.console.print(line.text) }
        session.console.print(
            .compact([
                .init("uri", .optional(song?.uri)), .init("time", .seconds(line.time)),
                .init("line", .string(line.text)),
            ])
        )
    }
}

/// Where in a song a zone is, by the clock.
struct SungPlace {
    private var status: ServerStatus?
    /// When the status was read, in seconds of the monotonic clock.
    private var time = 0.0

    init() {}

    init(_ status: ServerStatus, at time: Double) {
        self.status = status
        self.time = time
    }

    var isStopped: Bool { status.map { $0.state == .stopped } ?? true }

    /// In seconds of the song.
    func elapsed(at now: Double) -> Double {
        guard let status else { return 0 }
        let start = status.elapsed ?? 0
        return status.state == .playing ? start + (now - time) * status.speed : start
    }

    /// Seconds until another line is shown; `nil` when that takes a change.
    func secondsToNextLine(_ lyrics: LyricsBlock, at now: Double) -> Double? {
        guard let status, status.state == .playing, status.speed > 0 else { return nil }
        let next = lyrics.isSynced ? nextTime(lyrics, at: now) : nextPlainTime(lyrics, at: now)
        return next.map { max(0, $0 - elapsed(at: now)) / status.speed }
    }

    private func nextTime(_ lyrics: LyricsBlock, at now: Double) -> Double? {
        let next = lyrics.index(at: elapsed(at: now)).map { $0 + 1 } ?? 0
        return next < lyrics.lines.count ? lyrics.lines[next].time : nil
    }

    // MARK: Lyrics without times

    /// The line that would be sung if all took as long.
    func plainIndex(_ lyrics: LyricsBlock, at now: Double) -> Int? {
        guard !lyrics.isSynced, let duration = status?.duration, duration > 0 else { return nil }
        let place = elapsed(at: now) / duration * Double(lyrics.lines.count)
        return Int(saturating: place.clamped(to: 0...Double(max(0, lyrics.lines.count - 1))))
    }

    private func nextPlainTime(_ lyrics: LyricsBlock, at now: Double) -> Double? {
        guard let index = plainIndex(lyrics, at: now), index + 1 < lyrics.lines.count, let duration = status?.duration
        else { return nil }
        return Double(index + 1) / Double(lyrics.lines.count) * duration
    }
}
