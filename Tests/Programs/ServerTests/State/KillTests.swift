import Foundation
import Glibc
import TestSupport
import TestThreads
import Testing

/// Killed at any moment under a load of commands, the server comes back with a state that once was, and not long ago.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct KillTests {
    private static let rounds = ProcessInfo.processInfo.environment["SEGUE_SOAK"] == nil ? 20 : 200

    /// A state of the queue, and when it was: the stream's number in every entry, one more with each change.
    private struct Moment {
        let queue: [String]
        let time: ContinuousClock.Instant
    }

    private func queue(_ client: LineClient) throws -> [String] {
        let lines = try client.order("playlistinfo")
        return lines.filter { $0.hasPrefix("file: ") || $0.hasPrefix("Id: ") || $0.hasPrefix("Prio: ") }
    }

    @Test(.timeLimit(.minutes(10))) func killed() async throws {
        let folder = try TemporaryFolder()
        var generator = SystemRandomNumberGenerator()
        var history: [Moment] = []
        var number = 0
        var end = ContinuousClock.now
        for round in 0..<Self.rounds {
            let server = try await Segued.start(in: folder)
            let client = try server.connect()
            let restored = try queue(client)
            if round > 0 {
                let moment = history.last { $0.queue == restored }
                let known = try #require(moment, "round \(round): a state that never was: \(restored)")
                let followed = history.first { $0.time > known.time }
                // What was told at most two seconds before the end may be lost.
                if let followed { #expect(end - followed.time < .seconds(2.5), "round \(round)") }
            }
            #expect(!server.process.errorText.contains("damaged"), "\(server.process.errorText)")
            history = [Moment(queue: restored, time: .now)]
            let deadline = ContinuousClock.now + .milliseconds(Int.random(in: 0...900, using: &generator))
            repeat {
                number += 1
                for command in change(number, &generator) { _ = client.ask(command) }
                history.append(Moment(queue: try queue(client), time: .now))
            } while ContinuousClock.now < deadline
            end = .now
            server.process.kill(SIGKILL)
            _ = try await server.process.wait()
        }
    }

    /// One change that is seen as a whole, as each is one record of the journal.
    private func change(_ number: Int, _ generator: inout SystemRandomNumberGenerator) -> [String] {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: ["delete 0"]
        case 1: ["move 0 1"]
        case 2: ["shuffle"]
        case 3: ["prio \(number % 200 + 1) 0"]
        case 4 where number % 50 == 0: ["clear"]
        default: ["addid http://127.0.0.1:9/\(number)"]
        }
    }
}
