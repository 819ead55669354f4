import Testing

@testable import Playback

/// Which of a player's events its listeners get, and when they have come.
struct AudienceTests {
    /// What a listener gets that listens now, while nothing further happens.
    private func firstEvents(_ audience: inout Audience) async -> [PlayerEvent] {
        let stream = audience.listen({ event, _ in event }, onEnd: { _ in })
        audience.finish()
        return await Array(stream)
    }

    /// An output may be lost before anything listens, such as at the start of a server without a sound server.
    @Test(arguments: [.outputLost("gone"), .routeLost("gone", pauses: true), .outputFailed("broken")] as [PlayerEvent])
    func whoComesAfterALossIsToldOfIt(loss: PlayerEvent) async {
        var audience = Audience()
        audience.tell(loss)
        audience.tell(.queueEnded)
        #expect(await firstEvents(&audience) == [loss])
    }

    @Test func aLossThatIsOverIsNotTold() async {
        var audience = Audience()
        audience.tell(.outputLost("gone"))
        audience.tell(.outputRestored)
        #expect(await firstEvents(&audience).isEmpty)
    }

    @Test func whoListensIsToldOnce() async {
        var audience = Audience()
        let stream = audience.listen({ event, _ in event }, onEnd: { _ in })
        audience.tell(.outputLost("gone"))
        audience.finish()
        #expect(await Array(stream) == [.outputLost("gone")])
    }
}

extension Array {
    fileprivate init(_ stream: AsyncStream<Element>) async where Element: Sendable {
        self = []
        for await element in stream { append(element) }
    }
}
