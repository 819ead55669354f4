import AudioTypes
import MediaCoding
import Mixers
import Outputs
import Synchronization
import TestSupport
import Testing
import Threads

@testable import Playback

/// A loop over an item that cannot be played, step by step, with the player's orders in the order that is rare.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct FailedLoopTests {
    /// The player may ask for another loop before it learns that the last one failed.
    @Test func anItemFailsOnceUntilItIsPlayedAgain() async throws {
        let empty = try await MediaFixtures.audio("empty", .wav) { [] }
        let output = Mixer(NullOutput()).makeChannel()
        let failures = Failures()
        let pipeline = Pipeline(output: output) { failures.add($0) }
        var worker = DecodeWorker(pipeline, output: output, interrupt: Interrupt())
        let item = PlayerItem(id: PlayerItem.ID(number: 1), entry: MediaEntry(empty))

        worker.play(Pipeline.Jump(item: item, time: .zero), 1)
        for _ in 0..<2 {
            worker.follow(item.id, .loop, 1)
            while case .again = worker.work() {}
            #expect(failures.count == 1)
        }

        worker.play(Pipeline.Jump(item: item, time: .zero), 2)
        worker.follow(item.id, .loop, 2)
        while case .again = worker.work() {}
        #expect(failures.count == 2)
        pipeline.post(.close)
        pipeline.waitUntilClosed()
    }

    private final class Failures: Sendable {
        private let number = Mutex(0)
        var count: Int { number.withLock(\.self) }

        func add(_ event: Pipeline.Event) {
            if case .failed = event { number.withLock { $0 += 1 } }
        }
    }
}
