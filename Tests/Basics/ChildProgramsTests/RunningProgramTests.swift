import ChildPrograms
import Glibc
import Testing

/// How the end of a program is told.
struct RunningProgramTests {
    @Test func anEndIsWaitedFor() throws {
        #expect(try ProgramStart(["true"]).run().waitForEnd() == .exited(0))
        #expect(try ProgramStart(["sh", "-c", "exit 200"]).run().waitForEnd() == .exited(200))
        #expect(try ProgramStart(["sh", "-c", "kill -USR1 $$"]).run().waitForEnd() == .signalled(SIGUSR1))
    }

    @Test func changesAreToldOnce() throws {
        let program = try ProgramStart(["sleep", "1000"]).run()
        #expect(program.change() == nil && !program.hasEnded)
        program.send(SIGSTOP)
        wait(for: WSTOPPED, of: program)
        #expect(program.change() == .stopped)
        #expect(program.change() == nil)
        program.sendToAll(SIGKILL)
        wait(for: WEXITED, of: program)
        // Its end stays to be told of.
        #expect(program.hasEnded && program.change() == .ended(.signalled(SIGKILL)))
        #expect(program.change() == nil)
    }

    /// One that is killed with its children.
    @Test func aSignalReachesItsChildren() throws {
        var ends: [Int32] = [-1, -1]
        unsafe try #require(pipe(&ends) == 0)
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let nowhere = unsafe open("/dev/null", O_RDWR | O_CLOEXEC)
        defer { for descriptor in [nowhere, ends[0]] { close(descriptor) } }
        var start = ProgramStart(["sh", "-c", "sleep 1000 & echo; wait"])
        start.streams = .init(input: nowhere, output: ends[1], errors: nowhere)
        let program = try start.run()
        close(ends[1])
        var byte: UInt8 = 0
        #expect(unsafe read(ends[0], &byte, 1) == 1)
        program.sendToAll(SIGTERM)
        #expect(program.waitForEnd() == .signalled(SIGTERM))
        // The child has the pipe's other end as long as it lives.
        #expect(unsafe read(ends[0], &byte, 1) == 0)
    }

    /// Waits for a change, which stays to be told of.
    private func wait(for change: Int32, of program: RunningProgram) {
        var information = unsafe siginfo_t()
        while unsafe waitid(P_PID, id_t(program.id), &information, change | WNOWAIT) < 0, errno == EINTR {}
    }
}
