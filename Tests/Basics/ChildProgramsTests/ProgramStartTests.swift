import ChildPrograms
import Glibc
import Testing

/// What a started program inherits.
@Suite struct ProgramStartTests {
    /// Runs a script of the shell to its end; gives what it wrote.
    private func output(_ script: String, _ change: (inout ProgramStart) -> Void = { _ in }) throws -> String {
        var ends: [Int32] = [-1, -1]
        unsafe try #require(pipe(&ends) == 0)
        let nowhere = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { for descriptor in [nowhere, ends[0]] { close(descriptor) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var program = ProgramStart(["sh", "-c", script])
        program.streams = ProgramStart.Streams(input: nowhere, output: ends[1], errors: nowhere)
        change(&program)
        let running = try program.run()
        close(ends[1])
        var (text, buffer): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4_096))
        while true {
            let count = unsafe read(ends[0], &buffer, buffer.count)
            guard count > 0 else { break }
            text += buffer[..<count]
        }
        #expect(running.waitForEnd() == .exited(0))
        return String(decoding: text, as: UTF8.self)
    }

    /// Each has its limits before its first instruction, so no child of its own escapes them.
    @Test func limits() throws {
        let limits = ProgramLimits(seconds: 7, fileBytes: 1 << 20)
        let text = try output("for kind in t f c n v; do ulimit -$kind; done") { $0.limits = limits }
        let blocks = (1 << 20) / 512
        #expect(text == "7\n\(blocks)\n0\n256\n\((8 << 30) / 1_024)\n")
    }

    @Test func descriptors() throws {
        let other = unsafe open("/dev/null", O_RDONLY)
        defer { close(other) }
        let script = "ls /proc/$$/fd"
        #expect(try output(script).split(separator: "\n") == ["0", "1", "2"])
        let kept = try output(script) { $0.keepsDescriptors = true }
        #expect(kept.split(separator: "\n").contains("\(other)"))
    }

    /// Streams may be in each other's place here.
    @Test func streamsThatAreStandardStreams() throws {
        var program = ProgramStart(["sh", "-c", "test -e /proc/self/fd/0 && test -e /proc/self/fd/2"])
        program.streams = ProgramStart.Streams(input: 2, output: 0, errors: 1)
        #expect(try program.run().waitForEnd() == .exited(0))
    }

    @Test func environment() throws {
        unsafe setenv("SEGUE_TEST_SECRET", "secret", 1)
        defer { unsafe unsetenv("SEGUE_TEST_SECRET") }
        #expect(try !output("env").contains("SEGUE_TEST_SECRET"))
        #expect(try output("env").contains("PATH="))
        #expect(try output("env") { $0.environment = .whole }.contains("SEGUE_TEST_SECRET=secret"))
    }

    /// Signals that are blocked here are not there, and the group is its own.
    @Test func signalsAndGroup() throws {
        var (blocked, before) = (sigset_t(), sigset_t())
        unsafe sigemptyset(&blocked)
        unsafe sigaddset(&blocked, SIGTERM)
        unsafe pthread_sigmask(SIG_BLOCK, &blocked, &before)
        defer { unsafe pthread_sigmask(SIG_SETMASK, &before, nil) }
        // A shell would block none by itself.
        func mask(resets: Bool) throws -> UInt64 {
            let line = try output("") {
                $0.words = ["grep", "SigBlk", "/proc/self/status"]
                $0.resetsSignals = resets
            }
            return try #require(UInt64(line.split { $0 == "\t" || $0 == "\n" }.last ?? "", radix: 16))
        }
        #expect(try mask(resets: true) == 0)
        // The thread that a test runs on may block more.
        #expect(try mask(resets: false) & (1 << UInt64(SIGTERM - 1)) != 0)
        let lines = try output("ps -o pgid= -p $$ | tr -d ' '; echo $$").split(separator: "\n")
        #expect(lines.count == 2 && lines[0] == lines[1])
    }

    @Test(arguments: [("/nonexistent/program", ENOENT), ("no-such-program-anywhere", ENOENT), ("/etc/passwd", EACCES)])
    func failures(name: String, number: Int32) {
        do throws(ProgramStart.Failure) {
            let program = try ProgramStart([name]).run()
            Issue.record("\(name) was started as \(program.id)")
        } catch {
            #expect(error.number == number)
        }
    }
}
