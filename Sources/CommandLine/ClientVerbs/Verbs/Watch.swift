import ArgumentParser
import CommandOptions
import Glibc
import ProtocolClient
import TerminalText
import TextEncodings
import Threads

struct BufferVerb: SegueOnlyVerb {
    static let configuration = CommandConfiguration.remote(
        "buffer",
        "Show how much is buffered, and the state of the network stream."
    )
    @OptionGroup(title: "The server") var server: ServerOptions

    func run(on session: Session) throws {
        session.console.print(BufferReport(buffer: BufferBlock(try session.run("buffer"))))
    }
}

struct WatchVerb: ClientVerb {
    static let configuration = CommandConfiguration.remote(
        "watch",
        "Show what is playing, continuously, until Ctrl-C.",
        discussion: """
            On a terminal it is one line that counts the seconds, and the keys of 'segue play' control the server ('?'
            shows them); elsewhere a line is printed for each change, and with --json the status. If the server goes
            away, it is waited for.
            """
    )
    @OptionGroup(title: "The server") var server: ServerOptions
    @OptionGroup var pictures: CoverOptions

    func run(on session: Session) throws {
        let watch = Watch(session, pictures)
        defer { watch.close() }
        try watch.run()
    }
}

/// The loop of `segue watch`: it sleeps in poll(2) until something changes or the next second is to be shown.
private final class Watch {
    private static let subsystems = ["player", "mixer", "options", "playlist", "update"]
    /// Between attempts to reconnect.
    private static let pause = 1.0

    private let session: Session
    /// Whether to redraw one line, which a dumb terminal cannot do.
    private let isLive: Bool
    private var connection: RemoteConnection?
    private let signals: Int32
    private var painter = Painter()
    private var status: ServerStatus?
    private var song: RemoteSong?
    /// The state of the network stream, if the server reports it.
    private var buffer: BufferBlock?
    private var statusTime = 0.0
    private var tellsBuffer = true
    private var lastLine = ""
    private let covers: CoverDisplay?
    /// The song that was looked at for its cover last.
    private var coveredSong: String?
    /// Whether there is a cover above the line, or what tells of a song without one.
    private var isBelowCovers = false
    private var keyboard = WatchKeyboard()
    private var keys = WatchKeys()
    /// The failure of the last key.
    private var notice: String?

    init(_ session: Session, _ pictures: CoverOptions) {
        self.session = session
        covers = CoverDisplay(pictures, session.console)
        connection = session.connection
        isLive = session.console.isTerminal && TerminalTraits.isCapable
        signals = Interrupts.receive(
            [SIGINT, SIGTERM, SIGHUP] + (isLive ? [SIGWINCH, SIGCONT, SIGTSTP] : [])
        )
        if isLive { keyboard.open() }
    }

    func run() throws {
        var changed: [String] = []
        while true {
            do {
                guard let connection else {
                    try reconnect()
                    continue
                }
                try fetch(connection)
                showChange(changed)
                try connection.beginIdle(Self.subsystems)
                if waitForChange(connection) {
                    changed = try connection.endIdle()
                } else {
                    try connection.cancelIdle()
                    changed = []
                    try obeyKeys(connection)
                }
            } catch let error as RemoteError where error.refusal == nil {
                lose(error)
                changed = []
            }
        }
    }

    private func fetch(_ connection: RemoteConnection) throws {
        let replies = try connection.run([Request("status"), Request("currentsong")])
        guard replies.count == 2 else { return }
        status = ServerStatus(replies[0])
        song = replies[1].songs.first
        buffer = try fetchBuffer(connection)
        statusTime = monotonicSeconds()
        try showCover(connection)
    }

    /// Shows the cover of a song that has begun above the line.
    private func showCover(_ connection: RemoteConnection) throws {
        guard isLive, let covers, let song, status?.state != .stopped, song.uri != coveredSong else { return }
        coveredSong = song.uri
        let cover = try covers.picture(of: song, connection)
        // The cover above would be taken for this song's.
        guard cover != nil || isBelowCovers else { return }
        isBelowCovers = true
        clear()
        let report = SongHeading(song: song)
        printNow { console in
            if let cover { console.print(report, beside: cover) } else { console.print(report) }
        }
    }

    /// Only network songs have a buffer state.
    private func fetchBuffer(_ connection: RemoteConnection) throws -> BufferBlock? {
        guard tellsBuffer, status?.state != .stopped, song?.uri.contains("://") == true else { return nil }
        do {
            return BufferBlock(try connection.run("buffer"))
        } catch {
            guard error.refusal?.isUnknownCommand == true else { throw error }
            tellsBuffer = false
            return nil
        }
    }

    /// Redraws each second until the server has sent something.
    ///
    /// - Returns: Whether it has; otherwise there are keys to obey, or it is to be queried again.
    private func waitForChange(_ connection: RemoteConnection) -> Bool {
        while true {
            let limit = isLive ? line?.secondsToNextChange : nil
            let ready = Interrupts.wait(for: [connection.descriptor, signals, keyboard.descriptor], seconds: limit)
            if ready.contains(signals) { obeySignals() }
            if ready.contains(keyboard.descriptor), keyboard.read() { return false }
            if ready.contains(connection.descriptor) { return true }
            if isLive { draw() }
            // Attempts to reconnect a stream must be queried.
            if isLive, ready.isEmpty, buffer?.stream?.outage != nil { return false }
        }
    }

    private func obeySignals() {
        for number in Interrupts.take(from: signals) {
            switch number {
            case SIGWINCH: draw(again: true)
            case SIGTSTP: suspend()
            case SIGCONT:
                keyboard.open()
                draw(again: true)
            default: end(by: number)
            }
        }
    }

    /// Ctrl-Z: the shell finds its terminal as it was.
    private func suspend() {
        close()
        kill(getpid(), SIGSTOP)
    }

    private func end(by number: Int32) -> Never {
        close()
        ProcessSignals.die(by: number)
    }

    private func clear() {
        if let text = painter.clear() { Console.write(Array(text.utf8), to: STDOUT_FILENO) }
    }

    /// Gives the terminal back.
    func close() {
        clear()
        keyboard.close()
    }

    // MARK: Keys

    private func obeyKeys(_ connection: RemoteConnection) throws {
        for command in keyboard.takeCommands() {
            notice = nil
            switch command {
            case .showHelp: showHelp()
            case .quit: throw ExitCode.success
            default: try perform(command, connection)
            }
        }
    }

    private func perform(_ command: KeyCommand, _ connection: RemoteConnection) throws {
        // Each key is relative to what the keys before it have done.
        let status = ServerStatus(try connection.run("status"))
        switch keys.order(command, status) {
        case .requests(let requests):
            do {
                try connection.run(requests)
            } catch {
                guard let refusal = error.refusal else { throw error }
                notice = refusal.text
            }
        case .impossible(let reason): notice = reason
        }
    }

    private func showHelp() {
        clear()
        let width = TerminalTraits.width(of: STDOUT_FILENO)
        printNow { console in for line in KeyBindings.help(WatchKeys.rows, width: width) { console.print(line) } }
    }

    // MARK: Losing the server

    private func lose(_ error: RemoteError) {
        connection = nil
        status = nil
        switch session.console.form {
        case .json:
            printNow {
                $0.print(
                    .object([.init("state", .string("unreachable")), .init("message", .string(error.description))])
                )
            }
        case .terminal where isLive:
            let text =
                "\(session.console.isUnicode ? "⋯" : "~") waiting for the server at \(session.connection.address)"
            paint(StyledText(text, .attention), again: false)
        case .plain, .terminal: printNow { $0.print("[unreachable] \(error)") }
        }
        lastLine = ""
    }

    private func reconnect() throws {
        let ready = Interrupts.wait(for: [signals, keyboard.descriptor], seconds: Self.pause)
        if ready.contains(signals) { obeySignals() }
        if ready.contains(keyboard.descriptor), keyboard.read(), keyboard.takeCommands().contains(.quit) {
            throw ExitCode.success
        }
        connection = session.reconnected()
    }

    // MARK: Display

    private var line: LiveLine? {
        guard let status else { return nil }
        var elapsed = status.elapsed ?? 0
        let isWaiting = buffer?.state == "waitingToPlayAtSpecifiedRate"
        if status.state == .playing, !isWaiting { elapsed += (monotonicSeconds() - statusTime) * status.speed }
        if let duration = status.duration, duration > 0 { elapsed = min(elapsed, duration) }
        let remark = buffer.flatMap { StreamStateText.remark($0, since: monotonicSeconds() - statusTime) }
        return LiveLine(
            status: status,
            song: song,
            elapsed: elapsed,
            remark: notice ?? remark,
            format: session.options.songFormat ?? .usual,
            isUnicode: session.console.isUnicode
        )
    }

    private func showChange(_ changed: [String]) {
        guard let status else { return }
        switch session.console.form {
        case .terminal where isLive: draw()
        case .json:
            let remark = buffer.flatMap { Self.lasting($0) }
            var fields = StatusReport(status: status, song: song, stream: remark).fields
            if !changed.isEmpty { fields.append(.init("changed", .array(changed.map(JSON.string)))) }
            printNow { $0.print(.object(fields)) }
        case .plain, .terminal:
            var text = "[stopped]"
            if status.state != .stopped {
                let heading = song?.text(session.options.songFormat ?? .usual) ?? ""
                text = "[\(status.state == .playing ? "playing" : "paused")] \(heading)"
                if let remark = buffer.flatMap({ Self.lasting($0) }) { text += "  (\(remark))" }
            }
            guard text != lastLine else { return }
            lastLine = text
            printNow { $0.print(text) }
        }
    }

    /// A remark without the parts that change every second.
    private static func lasting(_ buffer: BufferBlock) -> String? {
        if let outage = buffer.stream?.outage { return "reconnecting: \(outage.reason)" }
        return StreamStateText.remark(buffer)
    }

    private func printNow(_ body: (inout Console) -> Void) {
        body(&session.console)
        session.console.flush()
    }

    private func draw(again: Bool = false) {
        guard let line else { return }
        paint(line.render(width: TerminalTraits.width(of: STDOUT_FILENO)), again: again)
    }

    private func paint(_ line: StyledText, again: Bool) {
        let text = line.text(inColour: session.console.inColour)
        if let bytes = again ? painter.repaint(text) : painter.show(text) {
            Console.write(Array(bytes.utf8), to: STDOUT_FILENO)
        }
    }
}
