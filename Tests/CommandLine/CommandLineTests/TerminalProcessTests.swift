import TestSupport
import Testing

/// What the tests of interactive programs lean on.
struct TerminalProcessTests {
    @Test func programSeesATerminalOfTheGivenSize() async throws {
        let script = "stty size; tty; read line; echo got $line"
        let shell = try TerminalProcess("sh", ["-c", script], columns: 40, rows: 10)
        try await shell.waitForText("10 40\n/dev/pts/")
        shell.type("hello\r")
        try await shell.waitForText("got hello")
        #expect(try await shell.process.wait().status == .code(0))
        #expect(shell.isInLineMode)
    }

    @Test func programIsToldOfANewSize() async throws {
        let script = "trap 'stty size; exit 3' WINCH; echo ready; while :; do sleep 0.05; done"
        let shell = try TerminalProcess("bash", ["-c", script], columns: 40, rows: 10)
        try await shell.waitForText("ready")
        shell.resize(columns: 60, rows: 12)
        try await shell.waitForText("12 60")
        #expect(try await shell.process.wait().status == .code(3))
    }

    @Test func interruptKeyIsASignal() async throws {
        let shell = try TerminalProcess("sh", ["-c", "echo ready; exec sleep 60"])
        try await shell.waitForText("ready")
        shell.type("\u{3}")
        #expect(try await shell.process.wait().status == .signal(2))
    }

    @Test func screenShowsWhatIsLeftOfALineThatIsRedrawn() async throws {
        let script = #"printf 'first line\r\n'; printf 'a long progress line'; printf '\r\033[Kshort'"#
        let shell = try TerminalProcess("sh", ["-c", script])
        _ = try await shell.process.wait()
        #expect(shell.contents.text == "first line\nshort")
    }

    @Test func aProgramReadsAndWritesAndCostsSomething() async throws {
        let child = try ChildProcess("sh", ["-c", "cat; echo bad >&2; exit 4"], input: .bytes(Array("good".utf8)))
        let result = try await child.wait()
        #expect(result.outputText == "good")
        #expect(result.errorText == "bad\n")
        #expect(result.status == .code(4))
        #expect(result.cpuSeconds > 0)
    }

    @Test func aProgramThatDoesNotEndIsKilledAtTheDeadline() async throws {
        let child = try ChildProcess("sleep", ["60"])
        await #expect(throws: ChildProcessError.self) { try await child.wait(within: .milliseconds(50)) }
        child.end()
        #expect(!child.isRunning)
    }
}
