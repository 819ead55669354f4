import Glibc
import TestSupport
import Testing

@testable import segue_test

/// A program that says nothing for too long is killed; one that goes on is not.
struct SilenceWatchTests {
    private func run(
        _ script: String,
        limit: Duration
    ) async throws -> (status: TestSupport.ExitStatus, hasKilled: Bool) {
        let silence = SilenceWatch(limit: limit)
        let process = try ChildProcess("/bin/sh", ["-c", script], onOutput: { _ in silence.hear() })
        let watch = Task { try await silence.watch(process) }
        defer { watch.cancel() }
        return (try await process.wait(within: .seconds(600)).status, silence.hasKilled)
    }

    @Test func aSilentProgramIsKilled() async throws {
        let (status, hasKilled) = try await run("echo begin; exec sleep 1000", limit: .milliseconds(200))
        #expect(status == .signal(SIGKILL) && hasKilled)
    }

    /// It speaks for three times as long as it may be silent, and far more often than it must.
    @Test func aTalkingProgramEndsByItself() async throws {
        let script = "for i in $(seq 150); do echo $i; sleep 0.02; done"
        let (status, hasKilled) = try await run(script, limit: .seconds(1))
        #expect(status == .code(0) && !hasKilled)
    }
}
