import TestSupport

/// Segue's player, through its own interface.
final class SeguePlayer: ControlledPlayer {
    private struct Answers: Sendable {
        var lines: [String] = []
        var rest: [UInt8] = []

        mutating func append(_ bytes: [UInt8]) {
            rest += bytes
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                lines.append(String(decoding: rest[..<end], as: UTF8.self))
                rest.removeSubrange(...end)
            }
        }
    }

    /// What was answered to one command.
    struct Answer: Sendable {
        var moment: ContinuousClock.Instant
        /// What follows the moment.
        var words: [String]
    }

    let process: ChildProcess
    private let answers: Watched<Answers>

    init(_ files: [String], environment: [String: String]) async throws {
        let answers = Watched(Answers())
        self.answers = answers
        process = try ChildProcess(
            Contestant.benchmarkPlayer,
            ["--control"] + files,
            environment: environment,
            input: .live
        ) { bytes in answers.withLock { $0.append(bytes) } }
        guard await answers.wait(within: .seconds(10), until: { !$0.lines.isEmpty }) else {
            throw ChildProcessError.deadline("segue-bench-player", output: process.errorText)
        }
    }

    /// Gives a command and waits for its answer; only one at a time.
    @discardableResult
    func command(_ line: String, within deadline: Duration = .seconds(5)) async throws -> Answer {
        let count = answers.withLock { $0.lines.count }
        process.write(line + "\n")
        guard await answers.wait(within: deadline, until: { $0.lines.count > count }) else {
            throw ChildProcessError.deadline("\(line): no answer", output: process.errorText)
        }
        let words = answers.withLock { $0.lines[count] }.split(separator: " ").map { String($0) }
        let moment = words.count > 1 ? Int64(words[1]) : nil
        return Answer(moment: Moments.instant(nanoseconds: moment ?? 0), words: Array(words.dropFirst(2)))
    }

    func play() async throws -> ContinuousClock.Instant { try await command("play").moment }
    func stop() async throws { try await command("stop") }
    func pause() async throws -> ContinuousClock.Instant { try await command("pause").moment }
    func resume() async throws -> ContinuousClock.Instant { try await command("play").moment }
    func seek(to seconds: Double) async throws -> ContinuousClock.Instant {
        try await command("seek \(seconds)").moment
    }
    func next() async throws -> ContinuousClock.Instant { try await command("next").moment }
}
