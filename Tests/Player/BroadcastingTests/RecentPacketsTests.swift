import NIOCore
import Testing

@testable import Broadcasting

@Suite struct RecentPacketsTests {
    private func packet(_ byte: UInt8, count: Int = 10, header: Bool = false) -> RecentPackets.Packet {
        let bytes = ByteBuffer(repeating: byte, count: count)
        return .init(bytes: bytes, seconds: 0.5, header: header ? ByteBuffer(repeating: byte, count: 1) : nil)
    }

    @Test func whatIsTooOldIsDropped() {
        var recent = RecentPackets(seconds: 2, bytes: 1_000)
        for number in 0..<10 { recent.append(packet(UInt8(number))) }
        #expect(recent.first == 6 && recent.end == 10)
        #expect(recent[5] == nil && recent[10] == nil)
        #expect(recent[6]?.bytes.getInteger(at: 0, as: UInt8.self) == 6)
    }

    @Test func whatIsTooMuchIsDropped() {
        var recent = RecentPackets(seconds: 100, bytes: 25)
        for number in 0..<10 { recent.append(packet(UInt8(number))) }
        #expect(recent.first == 8 && recent.end == 10)
        recent.append(packet(0, count: 1_000))
        #expect(recent.first == 10 && recent.end == 11)
        recent.clear()
        #expect(recent.first == 11 && recent.end == 11)
    }

    @Test func aNewcomerBeginsWithTheLastSeconds() {
        var recent = RecentPackets(seconds: 100, bytes: 1_000)
        #expect(recent.number(before: 2) == 0)
        for number in 0..<10 { recent.append(packet(UInt8(number), header: number == 8)) }
        #expect(recent.number(before: 0.9) == 8)
        // A stream of another header cannot be joined before it begins.
        #expect(recent.number(before: 2) == 8)
    }
}
