import LineProtocol
import ServerBasics
import ServerRooms
import ServiceTestSupport
import Settings
import Stickers
import Testing

@testable import ServerPersistence

/// Stickers within their limits.
@Suite struct StickerServiceTests {
    private final class Told {
        var records: [[String]] = []
    }

    private let rooms = TestRooms()
    private let told = Told()

    private func makeStickers() -> StickerService {
        StickerService(rooms.configuration) { [told] in told.records.append($0) }
    }

    private func refusal(_ body: () throws -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return (error as? AckError)?.text ?? "\(error)"
        }
    }

    @Test func changesAreTold() {
        let stickers = makeStickers()
        let isSet = stickers.change { $0.set(.song, "a.flac", "rating", to: "5") }
        let isDeleted = stickers.change { $0.delete(.song, "b.flac", "rating") }
        #expect(isSet && !isDeleted)
        #expect(told.records.count == 1)
        let later = makeStickers()
        for record in told.records { later.restore(record) }
        #expect(later.store.get(.song, "a.flac", "rating") == "5")
        #expect(told.records.count == 1, "what is restored is no change")
    }

    @Test func limitsAreKept() {
        let stickers = makeStickers()
        rooms.configuration.value.limits.maxStickers = 1
        rooms.configuration.value.limits.maxStickerBytes = 8
        rooms.configuration.value.limits.maxURIBytes = 10
        func room(_ name: String, _ value: String, of uri: String = "a.flac") -> String? {
            refusal { try stickers.requireRoom(for: name, value, of: uri, .song) }
        }
        #expect(room("rating", "5") == nil)
        stickers.change { $0.set(.song, "a.flac", "rating", to: "5") }
        #expect(room("rating", "6") == nil, "one that is there may be changed")
        #expect(room("mood", "x") == "more than limits.max-stickers = 1")
        #expect(room("rating", "123456789") == "more than limits.max-sticker-size = 8")
        #expect(room("123456789", "") == "more than limits.max-sticker-size = 8")
        #expect(room("rating", "5", of: "a/long.flac") == "more than limits.max-uri-size = 10")
        rooms.configuration.value.limits.maxStickersBytes = stickers.store.byteCount
        #expect(room("rating", "6") == nil)
        #expect(room("rating", "66")?.hasPrefix("more than limits.max-stickers-size") == true)
    }
}
