import AudioTypes
import Foundation
import Mixing
import Outputs
import Playback
import Synchronization
import TestSupport
import Testing

/// Damage is told before the queue ends, however fast that comes.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct DamageReportTests {
    /// Takes frames as fast as they come, and keeps the player busy with messages whenever there are some.
    private final class BusyOutput: AudioOutput {
        private let output = SinkOutput(format: .cd, sink: FastNullSink())
        private let events = Mutex<(@Sendable (OutputEvent) -> Void)?>(nil)

        var format: AudioFormat { output.format }
        var depth: Double { output.depth }
        var lead: Double { output.lead }
        var clock: OutputClock { output.clock }
        var history: Double { output.history }

        func attach(
            _ ring: any FrameReading,
            at position: FramePosition,
            events: @escaping @Sendable (OutputEvent) -> Void
        ) {
            self.events.withLock { $0 = events }
            output.attach(ring, at: position, events: events)
        }

        func framesAvailable() {
            output.framesAvailable()
            for _ in 0..<2_000 { events.withLock { $0 }?(.clockChanged) }
        }

        func start() { output.start() }
        func pause() { output.pause() }
        func discard(to position: FramePosition) -> Double { output.discard(to: position) }
        func rewind(to position: FramePosition) { output.rewind(to: position) }
        func close() { output.close() }
    }

    @Test func damageIsToldBeforeTheEnd() async throws {
        let folder = try TemporaryFolder()
        let whole = try Data(contentsOf: URL(filePath: await noiseFile(1)))
        let path = folder.file("cut.flac")
        try whole.prefix(whole.count / 2).write(to: URL(filePath: path))
        for _ in 0..<10 {
            let player = Player(output: BusyOutput())
            let log = await EventLog(player)
            await player.append([MediaEntry(path)])
            await player.play()
            try await log.waitForEnd()
            await player.close()
            let texts = log.all.compactMap { event -> String? in
                if case .itemDamaged(_, let text) = event { text } else { nil }
            }
            #expect(texts.count == 1 && texts.first?.contains("the file is cut off") == true, "\(texts)")
        }
    }
}
