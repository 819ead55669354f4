import Foundation
import TestSupport
import Testing

/// The loops that stand in for the runtime's executors; they take a process over, so a program of its own tries them.
struct ControlLoopTests {
    private static let names = [
        "main-is-main", "actors-share-one-thread", "tasks-too", "comes-back", "sleeps-in-order", "sleeps-long-enough",
        "cancels-sleep", "counts", "threads",
    ]

    @Test func everythingIsRight() async throws {
        let path = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "control-loop-program").path
        let result = try await ChildProcess(path).wait()
        #expect(result.status == .code(0))
        #expect(result.outputText.split(separator: "\n") == Self.names.map { "\($0) right" })
    }
}
