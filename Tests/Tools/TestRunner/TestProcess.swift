import Foundation
import Synchronization
import TestSupport

/// One run of the tests that are built beside this program.
///
/// The bundle is started without `swift test`, which plans a build each time, for some seconds, and fails when another one
/// plans at the same moment.
struct TestProcess {
    /// Options of Swift Testing for each run.
    let options: [String]

    /// How long a process may write nothing: the longest test writes nothing for some three minutes on a busy machine.
    private static let longestSilence: Duration = .seconds(480)

    private let bundle: String
    /// Media that one process has made and another may use.
    private let fixtures: TemporaryFolder

    init(options: [String]) throws {
        self.options = options
        fixtures = try TemporaryFolder()
        let program = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        bundle = URL(filePath: program).deletingLastPathComponent().appending(path: "seguePackageTests.xctest").path
    }

    struct Outcome {
        let record: RunRecord
        let status: ExitStatus
        let output: String
        /// Whether it was killed because nothing was heard of it for too long.
        var hung = false

        /// The tests that a crash kept from being run; none when it was no test's crash, since the next run would end alike.
        var rest: [TestID] { record.isComplete || record.interrupted.isEmpty ? [] : record.waiting }

        /// The crash with the first frames of its thread, or else the errors, as the output has them.
        var trouble: [String] {
            let lines = output.split(separator: "\n").filter { !$0.contains("✔") && !$0.contains("◇") }
            if hung {
                return [
                    "nothing was heard of it for \(TestProcess.longestSilence.components.seconds) s, so it was killed"
                ]
            }
            var said = lines.filter { $0.contains("Fatal error") || $0.contains("Program crashed") }
            if let thread = lines.firstIndex(where: { $0.hasSuffix(" crashed:") }) {
                said += lines[thread...].prefix(12)
            }
            if said.isEmpty { said = lines.filter { $0.contains("error:") }.suffix(10) }
            return said.map { String($0.prefix(300)) }
        }
    }

    /// - Parameters:
    ///   - isBeside: Whether it has the lowest priority.
    ///   - show: Gets the output while it is written.
    func run(
        _ selection: [String],
        isBeside: Bool = false,
        show: @escaping @Sendable ([UInt8]) -> Void
    ) async throws -> Outcome {
        let folder = try TemporaryFolder()
        let events = folder.file("events")
        let words =
            [bundle, "--testing-library", "swift-testing"] + options
            + ["--event-stream-output-path", events, "--event-stream-version", "0"] + selection
        // What plays goes before what computes, also in other programs, as far as the system lets it.
        let niceness = isBeside ? 19 : geteuid() == 0 ? -10 : 0
        let settings = "NO_COLOR=1 \(MediaFixtures.sharedFolderVariable)=\(fixtures.path)"
        let output = Mutex<[UInt8]>([])
        let silence = SilenceWatch(limit: Self.longestSilence)
        let process = try ChildProcess(
            "/bin/sh",
            ["-c", "exec env \(settings) nice -n \(niceness) \"$@\" 2>&1", "sh"] + words,
            onOutput: { bytes in
                output.withLock { $0 += bytes }
                silence.hear()
                show(bytes)
            }
        )
        let watch = Task { try await silence.watch(process) }
        defer { watch.cancel() }
        let result = try await process.wait(within: .seconds(5_400))
        return Outcome(
            record: RunRecord(stream: (try? Data(contentsOf: URL(fileURLWithPath: events))) ?? Data()),
            status: result.status,
            output: String(decoding: output.withLock { $0 }, as: UTF8.self),
            hung: silence.hasKilled
        )
    }
}
