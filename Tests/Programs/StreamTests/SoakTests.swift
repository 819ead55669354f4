import Foundation
import TestSupport
import Testing

extension StreamTests {
    /// A day of radio, compressed: connections lost at random moments.
    ///
    /// `SEGUE_SOAK=1` makes it 2,000 of them, which takes about ten minutes.
    @Test(.timeLimit(.minutes(30)), .enabled("icecast2 is not installed") { IcecastServer.missing.isEmpty })
    func disconnects() async throws {
        let count = ProcessInfo.processInfo.environment["SEGUE_SOAK"] == nil ? 50 : 2000
        let server = try await IcecastServer.start()
        let source = try await IcecastSource(NetworkMaterial.radio(.mp3), to: server)
        let relay = try Relay(to: server.port)
        let player = try await StreamPlayer(["--buffer", "2", relay.url(source.url)])
        try await player.waitForSound()
        var memory: [Double] = []
        var descriptors: [Int] = []
        relay.cut(.reset)
        // Each brings up to a second of sound, so that a buffer that is full does not make all of it slow.
        relay.cut(Relay.Cutting(.end, .reset, after: 1...16_000, count: count))
        for step in 1...10 {
            let wanted = count * step / 10
            let isFed = await relay.state.wait(within: .seconds(wanted * 5)) { $0.cuts >= wanted }
            try #require(
                isFed && player.process.isRunning,
                "after \(relay.state.current.cuts): \(player.told.suffix(4))"
            )
            memory.append(player.process.privateDirty ?? 0)
            descriptors.append(player.process.openDescriptors)
        }
        try await player.hear(5)
        #expect(player.heardNow != nil, "\(player.heard().text.suffix(200))")
        #expect((memory.last ?? 0) < memory[memory.count / 2] + 4, "\(memory) MB")
        // One connection more or less is there at the moment.
        #expect((descriptors.max() ?? 0) - (descriptors.min() ?? 0) <= 1, "\(descriptors)")
        try await player.quit()
    }
}
