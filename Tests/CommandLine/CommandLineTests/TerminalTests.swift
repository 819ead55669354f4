import Foundation
import Glibc
import Testing

/// A program on a terminal of its own.
private final class TerminalProgram {
    enum Failure: Error {
        case noTerminal
        case notStarted(Int32)
    }

    let process: pid_t
    private let controller: Int32
    /// Kept open, so that the terminal's mode can be seen after the program's end.
    private let terminal: Int32
    private let modeBefore: termios
    private(set) var output = ""

    init(_ path: String, _ arguments: [String], environment: [String: String]) throws {
        // What unlockpt(3) and ptsname(3) do; Swift's Glibc module does not have them.
        controller = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
        var isLocked: Int32 = 0
        var number: Int32 = 0
        guard controller >= 0, unsafe ioctl(controller, 0x4004_5431, &isLocked) == 0,
            unsafe ioctl(controller, 0x8004_5430, &number) == 0
        else { throw Failure.noTerminal }
        let name = "/dev/pts/\(number)"
        terminal = unsafe open(name, O_RDWR | O_NOCTTY | O_CLOEXEC)
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 0, ws_ypixel: 0)
        _ = unsafe ioctl(terminal, UInt(TIOCSWINSZ), &size)
        modeBefore = Self.mode(terminal)

        // The leader of a new session that opens a terminal has it as its controlling one.
        var attributes = posix_spawnattr_t()
        unsafe posix_spawnattr_init(&attributes)
        unsafe posix_spawnattr_setflags(&attributes, 0x80)
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        unsafe posix_spawn_file_actions_addopen(&actions, 0, name, O_RDWR, 0)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 1)
        unsafe posix_spawn_file_actions_adddup2(&actions, 0, 2)
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        var values = unsafe variables.map { unsafe strdup($0) } + [nil]
        defer { for place in unsafe words.indices { unsafe free(words[place]) } }
        defer { for place in unsafe values.indices { unsafe free(values[place]) } }
        var process: pid_t = 0
        let code = unsafe posix_spawn(&process, path, &actions, &attributes, &words, &values)
        guard code == 0 else { throw Failure.notStarted(code) }
        self.process = process
    }

    deinit {
        close(controller)
        close(terminal)
    }

    private static func mode(_ descriptor: Int32) -> termios {
        var mode = termios()
        unsafe tcgetattr(descriptor, &mode)
        return mode
    }

    var readsKeys: Bool { Self.mode(terminal).c_lflag & tcflag_t(ICANON | ECHO) == 0 }

    var isRestored: Bool {
        let mode = Self.mode(terminal)
        return mode.c_lflag == modeBefore.c_lflag && mode.c_iflag == modeBefore.c_iflag
    }

    func type(_ keys: String) {
        let bytes = Array(keys.utf8)
        _ = unsafe write(controller, bytes, bytes.count)
    }

    /// Reads until `text` is shown.
    func waits(for text: String, within seconds: Double = 20) -> Bool {
        let deadline = ContinuousClock.now + .seconds(seconds)
        while !output.contains(text) {
            guard ContinuousClock.now < deadline else { return false }
            readSome()
        }
        return true
    }

    private func readSome() {
        var request = pollfd(fd: controller, events: Int16(POLLIN), revents: 0)
        guard unsafe poll(&request, 1, 50) > 0 else { return }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = unsafe read(controller, &bytes, bytes.count)
        if count > 0 { output += String(decoding: bytes[..<count], as: UTF8.self) }
    }

    /// The status that waitpid(2) reports; the program is killed if it does not end.
    func end(within seconds: Double = 20) -> Int32 {
        let deadline = ContinuousClock.now + .seconds(seconds)
        var status: Int32 = 0
        while unsafe waitpid(process, &status, WNOHANG) == 0 {
            if ContinuousClock.now > deadline { kill(process, SIGKILL) }
            readSome()
        }
        readSome()
        return status
    }
}

/// `segue play` on a terminal: keys, the progress line, and the way back to the shell.
@Suite(.serialized) struct TerminalTests {
    /// A minute of silence.
    private func withTrack(_ body: (String) throws -> Void) throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "segue-\(UUID().uuidString).wav")
        defer { try? FileManager.default.removeItem(at: url) }
        let size: UInt32 = 60 * 16_000
        var data = Data("RIFF".utf8)
        func append(_ value: UInt32) {
            for shift in [0, 8, 16, 24] { data.append(UInt8(truncatingIfNeeded: value >> UInt32(shift))) }
        }
        append(36 + size)
        data += Data("WAVEfmt ".utf8)
        append(16)
        append(0x1_0001)
        append(8000)
        append(16_000)
        append(0x10_0002)
        data += Data("data".utf8)
        append(size)
        data += Data(count: Int(size))
        try data.write(to: url)
        try body(url.path)
    }

    private func start(_ path: String, _ environment: [String: String] = [:]) throws -> TerminalProgram {
        let usual = ["TERM": "xterm", "LC_ALL": "C.UTF-8", "NO_COLOR": "", "SWIFT_BACKTRACE": "enable=no"]
        return try TerminalProgram(
            try Program.own("segue"),
            ["play", "--output", "null", path],
            environment: usual.merging(environment) { $1 }
        )
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGSEGV, SIGABRT, SIGTRAP])
    func signalsLeaveTheTerminalInOrder(number: Int32) throws {
        try withTrack { path in
            let program = try start(path)
            #expect(program.waits(for: "▶"))
            #expect(program.readsKeys)
            kill(program.process, number)
            let status = program.end()
            #expect(status & 0x7f == number, "ended by the signal")
            #expect(program.isRestored)
            #expect(program.output.contains("\u{1b}[?25h"), "the cursor is back")
        }
    }

    @Test func keysAreObeyed() throws {
        try withTrack { path in
            let program = try start(path)
            #expect(program.waits(for: "▶"))
            program.type(" ")
            #expect(program.waits(for: "‖"))
            program.type("\u{1b}[C")
            #expect(program.waits(for: "0:05 / "))
            program.type("9")
            #expect(program.waits(for: "volume 98%"))
            program.type("m")
            #expect(program.waits(for: "muted"))
            program.type("]")
            #expect(program.waits(for: "speed 1.1"))
            program.type("?")
            #expect(program.waits(for: "previous chapter"))
            program.type("q")
            #expect(program.end() == 0)
            #expect(program.isRestored)
        }
    }

    @Test func anInterruptTypedEndsIt() throws {
        try withTrack { path in
            let program = try start(path)
            #expect(program.waits(for: "▶"))
            program.type("\u{3}")
            #expect(program.end() & 0x7f == SIGINT)
            #expect(program.isRestored)
        }
    }

    @Test func aDumbTerminalIsLeftAlone() throws {
        try withTrack { path in
            let program = try start(path, ["TERM": "dumb"])
            #expect(program.waits(for: "Playing"))
            #expect(program.isRestored)
            kill(program.process, SIGTERM)
            _ = program.end()
            #expect(!program.output.contains("\u{1b}"))
        }
    }

    @Test func coloursAreLeftOutOnRequest() throws {
        try withTrack { path in
            let program = try start(path, ["NO_COLOR": "1"])
            #expect(program.waits(for: "▶"))
            program.type("q")
            #expect(program.end() == 0)
            #expect(!program.output.contains(/\u{1b}\[[0-9]*m/))
        }
    }
}
