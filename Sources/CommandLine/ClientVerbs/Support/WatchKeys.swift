import Glibc
import ProtocolClient
import TerminalText

/// The requests of the keys of `segue watch`: those of `segue play` that a server can be asked for.
struct WatchKeys {
    enum Order: Equatable {
        case requests([Request])
        /// The reason, in words.
        case impossible(String)
    }

    static let rows = KeyBindings.rows.filter { isPossible($0.command) }

    /// Before it was muted.
    private var mutedVolume: Int?

    static func isPossible(_ command: KeyCommand) -> Bool {
        switch command {
        case .togglePause, .seek, .previousItem, .nextItem, .changeVolume, .toggleMute, .multiplySpeed, .resetSpeed,
            .toggleLoopItem, .showHelp, .quit:
            true
        case .stepFrame, .seekChapter, .cycleAudioTrack, .cycleVideoTrack, .cycleSubtitles, .toggleSubtitles,
            .showPosition, .goOnInBackground, .quitKeepingPosition:
            false
        }
    }

    mutating func order(_ command: KeyCommand, _ status: ServerStatus) -> Order {
        switch command {
        case .togglePause: return .requests([Self.toggled(status)])
        case .seek(let seconds): return whilePlaying(status, Request("seekcur", Self.signed(seconds)))
        case .previousItem: return whilePlaying(status, Request("previous"))
        case .nextItem: return whilePlaying(status, Request("next"))
        case .changeVolume(let points): return changeVolume(status) { $0 + Int(saturating: points) }
        case .toggleMute: return toggleMute(status)
        case .multiplySpeed(let factor): return .requests([Request("speed", "\(status.speed * factor)")])
        case .resetSpeed: return .requests([Request("speed", "1")])
        case .toggleLoopItem:
            let word = status.repeat && status.single == "1" ? "0" : "1"
            return .requests([Request("repeat", word), Request("single", word)])
        default: return .requests([])
        }
    }

    private static func toggled(_ status: ServerStatus) -> Request {
        switch status.state {
        case .playing: Request("pause", "1")
        case .paused: Request("pause", "0")
        case .stopped: Request("play")
        }
    }

    private func whilePlaying(_ status: ServerStatus, _ request: Request) -> Order {
        status.state == .stopped ? .impossible("nothing is playing") : .requests([request])
    }

    private static func signed(_ seconds: Double) -> String { seconds < 0 ? "\(seconds)" : "+\(seconds)" }

    private func changeVolume(_ status: ServerStatus, _ change: (Int) -> Int) -> Order {
        guard let volume = status.volume else { return .impossible("there is no volume control") }
        return .requests([Request("setvol", "\(min(max(0, change(volume)), 100))")])
    }

    private mutating func toggleMute(_ status: ServerStatus) -> Order {
        let isMuted = status.volume == 0
        defer { mutedVolume = isMuted ? nil : status.volume }
        return changeVolume(status) { [mutedVolume] in isMuted ? mutedVolume ?? $0 : 0 }
    }
}

/// The terminal's keys, read one by one while this process is in the foreground.
struct WatchKeyboard {
    private var parser = KeyParser()
    private var commands: [KeyCommand] = []
    /// Of the terminal; -1 while its keys are not read.
    private(set) var descriptor: Int32 = -1

    mutating func open() {
        guard isatty(STDIN_FILENO) == 1, Terminal.isForeground(STDIN_FILENO) else { return close() }
        Terminal.enter(keys: STDIN_FILENO, screen: -1)
        descriptor = STDIN_FILENO
    }

    mutating func close() {
        Terminal.restore()
        descriptor = -1
    }

    /// Reads the keys pressed so far.
    ///
    /// - Returns: Whether any has a command.
    mutating func read() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = unsafe Glibc.read(descriptor, &bytes, bytes.count)
        if count > 0 {
            commands += parser.parse(bytes[..<count]).compactMap(KeyBindings.command).filter(WatchKeys.isPossible)
        } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
            close()
        }
        return !commands.isEmpty
    }

    mutating func takeCommands() -> [KeyCommand] {
        defer { commands = [] }
        return commands
    }
}
