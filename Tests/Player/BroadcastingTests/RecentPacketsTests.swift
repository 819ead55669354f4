import NIOCore
import Testing

@testable import Broadcasting

@Suite struct RecentPacketsTests {
    private func packet(_ byte: UInt8, count: Int = 10, stream: Int = 0) -> RecentPackets.Packet {
        let header = ByteBuffer(string: "header \(stream)")
        return .init(header: header, stream: stream, bytes: ByteBuffer(repeating: byte, count: count), seconds: 0.5)
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
        for number in 0..<10 { recent.append(packet(UInt8(number), stream: number / 8)) }
        #expect(recent.number(before: 0.9) == 8)
        // A stream with another header cannot be joined before it begins.
        #expect(recent.number(before: 2) == 8)
    }

    /// Each stream's header comes before its first packet, also for readers who skip.
    @Test func aReaderGetsTheHeaderOfEachStream() {
        var recent = RecentPackets(seconds: 1, bytes: 1_000)
        var (quick, slow) = (StreamReading(next: 0), StreamReading(next: 0))
        recent.append(packet(0))
        #expect(texts(&quick, recent) == ["header 0", "0"])
        #expect(texts(&slow, recent) == ["header 0", "0"])
        for number in 1..<4 { recent.append(packet(UInt8(number), stream: number / 3)) }
        // What is not kept is skipped, up to the newest packet.
        #expect(texts(&slow, recent) == ["header 1", "3"])
        recent.append(packet(4, stream: 1))
        #expect(texts(&slow, recent) == ["4"])
        #expect(texts(&quick, recent) == ["header 1", "4"])
    }

    private func texts(_ reader: inout StreamReading, _ recent: RecentPackets) -> [String] {
        var texts: [String] = []
        while let bytes = reader.next(in: recent) {
            let text = String(buffer: bytes)
            texts.append(text.hasPrefix("header") ? text : "\(text.utf8.first ?? 255)")
        }
        return texts
    }
}
