import TestSupport
import Testing

@testable import MediaHeaders

@Suite struct OggLossesTests {
    private static let pageSize = 4_107

    /// Pages of one packet each, all with wrong checksums, and with these numbers.
    private static func file(_ numbers: [UInt32]) -> OggLinksTests.Counted {
        // The stream's end mark is on a page that is cut off here.
        var bytes = Array(OggLinksTests.stream(1, pages: numbers.count + 1).prefix(numbers.count * pageSize))
        for (index, number) in numbers.enumerated() {
            let place = index * pageSize + 18
            bytes.replaceSubrange(place..<place + 4, with: MadeMedia.littleEndian(Int(number)))
        }
        return OggLinksTests.Counted(bytes)
    }

    @Test(arguments: [
        ([0, 1] as [UInt32], 0), ([0, 2], 1), ([0, .max], 1), ([.max, 0], 0), ([.max, 5], 0), ([5, 5], 0), ([9, 2], 0),
    ])
    func numbersMayBeAny(_ numbers: [UInt32], missing: Int) {
        let file = Self.file(numbers)
        var losses = OggLosses(of: file, in: 0..<file.size)
        losses.restart(isAtStart: false)
        #expect(losses.record(packetAt: 0) == 0)
        #expect(losses.record(packetAt: Self.pageSize) == missing)
        #expect(losses.record(packetAt: Self.pageSize) == 0)
        #expect(losses.record(packetAt: .max) == 0)
    }

    @Test func damagedPagesAreCountedOnce() {
        let file = Self.file([0, 1, 2, 3, 4])
        var losses = OggLosses(of: file, in: 0..<file.size)
        losses.restart(isAtStart: false)
        #expect(losses.record(packetAt: 0) == 0)
        #expect(losses.record(packetAt: 3 * Self.pageSize) == 2)
        #expect(losses.end() == (1, false))
        #expect(losses.end() == (0, false))
    }

    @Test func anEndWithinAPageIsACut() {
        let whole = Self.file([0, 1])
        let file = OggLinksTests.Counted(Array(whole.bytes.dropLast(10)))
        var losses = OggLosses(of: file, in: 0..<file.size)
        losses.restart(isAtStart: false)
        #expect(losses.record(packetAt: 0) == 0)
        #expect(losses.end() == (0, true))
    }
}
