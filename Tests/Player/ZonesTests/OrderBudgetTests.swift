import Playback
import TestSupport
import Testing

@testable import Zones

/// Orders that wait for a player are counted, and a client that gives too many is told when there is room.
@Suite struct OrderBudgetTests {
    @Test func thereIsRoomWhenOrdersAreCarriedOut() async throws {
        let stage = try await Stage(["a", "b"], limit: songFrames / 2)
        let told = Watched(0)
        // Nothing is carried out before that long.
        try await stage.act { zone in
            try zone.play()
            zone.link?.hold(for: 3_600)
            for _ in 0..<PlayerLink.budget { zone.link?.send { _ in } }
            #expect(zone.isBusy)
            zone.whenNotBusy { told.withLock { $0 += 1 } }
        }
        #expect(told.current == 0)
        await stage.close()
    }

    @Test func whoeverWaitsIsToldOnce() async throws {
        let stage = try await Stage(["a", "b"], limit: songFrames / 2)
        let (told, carriedOut) = (Watched(0), Watched(0))
        await stage.act { zone in
            zone.link?.hold(for: 0.2)
            for _ in 0..<PlayerLink.budget { zone.link?.send { _ in carriedOut.withLock { $0 += 1 } } }
            #expect(zone.isBusy)
            zone.whenNotBusy { told.withLock { $0 += 1 } }
        }
        #expect(await told.wait(within: .patience) { $0 == 1 })
        #expect(carriedOut.current >= PlayerLink.budget / 2)
        #expect(await carriedOut.wait(within: .patience) { $0 == PlayerLink.budget })
        #expect(told.current == 1)
        #expect(await !stage.act { $0.isBusy })
        // Without orders that wait there is room at once.
        await stage.act { $0.whenNotBusy { told.withLock { $0 += 1 } } }
        #expect(told.current == 2)
        await stage.close()
    }
}
