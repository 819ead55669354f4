import CSeccomp
import Glibc
import TestThreads
import Testing

/// What a confined process can and cannot do: the filter of segue-pictures, which its worker has (`Seccomp: 2`).
@Suite(.blocking) struct PictureSandboxTests {
    /// Each refusal has a number, which is the exit status when it is none.
    @Test func everythingButComputingIsRefused() async {
        await #expect(processExitsWith: .success) {
            guard segue_confine() == 0 else { exit(1) }
            func mustFail(_ number: Int32, _ result: Int32) { if result >= 0 || errno != EPERM { _exit(number) } }
            mustFail(10, unsafe open("/etc/hostname", O_RDONLY))
            mustFail(11, unsafe open("/tmp/segue-sandbox", O_CREAT | O_WRONLY, 0o600))
            mustFail(12, socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0))
            mustFail(13, socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0))
            mustFail(14, kill(getppid(), 0))
            mustFail(15, unsafe unlink("/tmp/segue-sandbox"))
            mustFail(16, unsafe mkdir("/tmp/segue-sandbox", 0o700))
            mustFail(17, unsafe rename("/tmp/segue-sandbox", "/tmp/segue-sandbox-2"))
            mustFail(18, unsafe chdir("/"))
            mustFail(20, unsafe access("/etc/hostname", R_OK))
            mustFail(21, unsafe execv("/bin/true", [nil]))
            mustFail(22, dup(0))
            var process: pid_t = 0
            if unsafe posix_spawn(&process, "/bin/true", nil, nil, [nil], [nil]) == 0 { _exit(25) }
            _exit(0)
        }
    }

    /// What decoders need goes on: memory, threads, their own limits, and files that are open.
    @Test func computingGoesOn() async {
        await #expect(processExitsWith: .success) {
            var ends: [Int32] = [0, 0]
            guard unsafe pipe(&ends) == 0, segue_confine() == 0 else { _exit(1) }
            var byte: UInt8 = 7
            guard unsafe write(ends[1], &byte, 1) == 1, unsafe read(ends[0], &byte, 1) == 1 else { _exit(2) }
            let memory = [UInt8](repeating: 1, count: 64 << 20)
            guard memory[memory.count - 1] == 1 else { _exit(3) }
            var thread = pthread_t()
            guard unsafe pthread_create(&thread, nil, { _ in nil }, nil) == 0, pthread_join(thread, nil) == 0
            else { _exit(4) }
            var limit = rlimit()
            guard unsafe getrlimit(__rlimit_resource_t(0), &limit) == 0,
                unsafe setrlimit(__rlimit_resource_t(0), &limit) == 0
            else { _exit(5) }
            _exit(0)
        }
    }
}
