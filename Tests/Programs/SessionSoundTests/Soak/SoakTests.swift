import Foundation
import TestSupport
import Testing

extension SessionSoundTests {
    /// Announcements, calls, alarms, pauses, stops, volumes, and programs that are killed, at random: whenever all has
    /// ended, everything is as its user wants it, and nothing was lost of the music.
    ///
    /// `SEGUE_SOAK=1` makes it five hundred of them, which takes some minutes.
    @Test(.timeLimit(.minutes(30)))
    func whateverHappensNothingIsStuck() async throws {
        let isLong = ProcessInfo.processInfo.environment["SEGUE_SOAK"] != nil
        let seed = ProcessInfo.processInfo.environment["SEGUE_SEED"].flatMap { UInt64($0) } ?? 1
        let run = try await SoakRun(seed: seed)
        try await run.play(events: isLong ? 50 : 25)
        try await run.settle()
        let (memory, descriptors) = (run.memory, run.descriptors)
        for _ in 0..<(isLong ? 9 : 1) {
            try await run.play(events: isLong ? 50 : 25)
            try await run.settle()
        }
        try run.compareWithTheFile()
        #expect(run.descriptors <= descriptors + 1, "\(descriptors) descriptors became \(run.descriptors)")
        #expect(run.memory <= memory + 8, "\(memory) MB became \(run.memory)")
    }
}
