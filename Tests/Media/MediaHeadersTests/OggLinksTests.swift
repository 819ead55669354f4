import TestSupport
import Testing

@testable import MediaHeaders

@Suite struct OggLinksTests {
    /// Bytes in memory that count what is read of them.
    final class Counted: ByteAccess {
        let bytes: [UInt8]
        private(set) var reads = 0

        init(_ bytes: [UInt8]) { self.bytes = bytes }

        var size: Int { bytes.count }
        var isLocal: Bool { true }
        func seconds(toRead count: Int) -> Double { 0 }

        func read(into buffer: inout [UInt8], count: Int, at offset: Int) -> Int {
            reads += 1
            let range = offset..<min(bytes.count, offset + count)
            buffer.replaceSubrange(0..<range.count, with: bytes[range])
            return range.count
        }
    }

    /// Pages of 4,107 bytes.
    static func stream(_ serial: Int, pages: Int, body: UInt8 = 0x11) -> [UInt8] {
        var bytes: [UInt8] = []
        for number in 0..<pages {
            let flags: UInt8 = number == 0 ? 2 : number == pages - 1 ? 4 : 0
            bytes += Array("OggS".utf8) + [0, flags] + MadeMedia.littleEndian(number * 960, 8)
            bytes += MadeMedia.littleEndian(serial) + MadeMedia.littleEndian(number) + [0, 0, 0, 0, 16]
            bytes += [UInt8](repeating: 255, count: 15) + [239] + [UInt8](repeating: body, count: 15 * 255 + 239)
        }
        return bytes
    }

    private static func starts(_ parts: [[UInt8]]) -> [Int] {
        parts.indices.map { parts[..<$0].map(\.count).reduce(0, +) }
    }

    @Test func eachStreamIsFound() {
        let parts = [Self.stream(1, pages: 300), Self.stream(2, pages: 20), Self.stream(3, pages: 500)]
        #expect(OggLinks(of: Counted(parts.flatMap(\.self)))?.starts == Self.starts(parts))
    }

    /// Of a long file, few pages are read.
    @Test func boundariesOfLongFilesAreFoundByHalving() {
        let parts = [Self.stream(7, pages: 3_000), Self.stream(5, pages: 1_500), Self.stream(9, pages: 9_000)]
        let file = Counted(parts.flatMap(\.self))
        #expect(OggLinks(of: file)?.starts == Self.starts(parts))
        #expect(file.reads < 5_000)
        let single = Counted(Self.stream(7, pages: 9_000))
        #expect(OggLinks(of: single)?.starts == [0])
        #expect(single.reads < 20)
    }

    /// A file that was joined to itself has the same number twice.
    @Test func theSameStreamAgainIsFound() {
        let part = Self.stream(4, pages: 100)
        #expect(OggLinks(of: Counted(part + part + part))?.starts == [0, part.count, 2 * part.count])
    }

    @Test func severalStreamsAtOnceAreNoChain() {
        let (one, two) = (Self.stream(1, pages: 1), Self.stream(2, pages: 1))
        #expect(OggLinks(of: Counted(one + two + Self.stream(1, pages: 9)))?.starts == nil)
        #expect(OggLinks(of: Counted(Array("OggS".utf8)))?.starts == nil)
        #expect(OggLinks(of: Counted(MadeMedia.mp3()))?.starts == nil)
    }

    /// Damage in between hides no stream behind it.
    @Test func streamsBehindDamageAreFound() {
        let parts = [Self.stream(1, pages: 50), Self.stream(2, pages: 50)]
        var bytes = parts.flatMap(\.self)
        bytes.replaceSubrange(100_000..<120_000, with: [UInt8](repeating: 0x4f, count: 20_000))
        #expect(OggLinks(of: Counted(bytes))?.starts == Self.starts(parts))
    }

    /// Four letters among the sound are no page.
    @Test func lettersAreNoPage() {
        var part = Self.stream(1, pages: 2_000)
        for place in stride(from: 5_000, to: part.count - 4, by: 30_000) {
            part.replaceSubrange(place..<place + 4, with: Array("OggS".utf8))
        }
        let parts = [part, Self.stream(2, pages: 2_000)]
        #expect(OggLinks(of: Counted(parts.flatMap(\.self)))?.starts.contains(part.count) == true)
    }
}
