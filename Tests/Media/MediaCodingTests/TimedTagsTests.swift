import AudioTypes
import FFmpegValues
import HTTP
import TestSupport
import Testing
import Threads

@testable import MediaCoding

/// ID3 tags between the packets of a transport stream, as HTTP Live Streaming has them.
@Suite(
    .enabled("nginx, ffmpeg or lame is not installed") { WebServer.missing.isEmpty && MediaFixtures.missing.isEmpty }
)
struct TimedTagsTests {
    /// In transport packets, numbers are the program map's and the tags' stream's.
    private static let map = 0x1000
    private static let tags = 0x102

    @Test func comeWhereTheyLie() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("a.ts")
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "sine=d=6", "-c:a", "aac", path])
        let plain = try FileBytes.read(path)
        let picture = [UInt8](repeating: 9, count: 3_000)
        let stream = try Self.stream(plain, tags: [(0, "One", nil), (3, "Two", picture), (4, "Two", picture)])
        let web = try await WebServer.start()
        try web.publish(try folder.write("b.ts", stream), as: "b.ts")
        let url = try web.publish(
            text: "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXT-X-PLAYLIST-TYPE:VOD\n#EXTINF:6,\nb.ts\n#EXT-X-ENDLIST\n",
            as: "a.m3u8"
        )
        var reader = try MediaReader.open(MediaEntry(location: url), interrupt: Interrupt())
        let format = AudioFormat(sampleFormat: .f32, sampleRate: reader.sampleRate, channels: .mono)
        var converter = AudioConverter(output: format)
        var found: [(seconds: Double, tags: Tags)] = []
        var bytes = [UInt8](repeating: 0, count: 65_536)
        reading: while true {
            let result = try unsafe bytes.withUnsafeMutableBytes {
                try unsafe reader.read(into: $0, through: &converter, AudioConverter.Settings())
            }
            switch result {
            case .metadata(let tags): found.append((reader.nextTime.seconds, tags))
            case .needsFinish: converter.reset()
            case .starved: try reader.waitForMore()
            case .frames: break
            case .ended: break reading
            }
        }
        #expect(found.map(\.tags.title) == ["One", "Two"])
        #expect(found.map(\.tags.picture) == [nil, picture])
        // libavformat hands them over a packet or two around their place.
        #expect(abs((found.last?.seconds ?? 0) - 3) < 0.6, "\(found.map(\.seconds))")
    }

    /// A transport stream with another stream of tags, each at a second of it.
    private static func stream(
        _ plain: [UInt8],
        tags: [(second: Int, title: String, picture: [UInt8]?)]
    ) throws -> [UInt8] {
        let packets = stride(from: 0, to: plain.count, by: 188).map { Array(plain[$0..<$0 + 188]) }
        var result: [UInt8] = []
        var counter: UInt8 = 0
        for (number, packet) in packets.enumerated() {
            let isMap = Int(packet[1] & 0x1f) << 8 | Int(packet[2]) == map
            result += isMap ? withTags(packet) : packet
            for (second, title, picture) in tags where number == max(4, packets.count * second / 6) {
                var frames = MadeMedia.frame("TIT2", MadeMedia.text(title))
                if let picture {
                    frames += MadeMedia.frame("APIC", [0] + Array("image/png\0".utf8) + [3, 0] + picture)
                }
                result += transport(MadeMedia.id3(version: 4, frames), at: 1.4 + Double(second), &counter)
            }
        }
        return result
    }

    /// The program map with one entry more (ISO 13818-1, 2.4.4.8; Apple's "Timed Metadata for HTTP Live Streaming").
    private static func withTags(_ packet: [UInt8]) -> [UInt8] {
        // After the header and the pointer; the length counts what follows it, with the checksum.
        let start = 5
        let length = Int(packet[start + 1] & 0x0f) << 8 | Int(packet[start + 2])
        let descriptor: [UInt8] =
            [0x26, 13, 0xff, 0xff] + Array("ID3 ".utf8) + [0xff] + Array("ID3 ".utf8) + [0, 0x0f]
        let entry: [UInt8] = [0x15, 0xe0 | UInt8(tags >> 8), UInt8(tags & 0xff), 0xf0, UInt8(descriptor.count)]
        var section = Array(packet[start..<start + 3 + length - 4]) + entry + descriptor
        let size = section.count - 3 + 4
        section[1] = packet[start + 1] & 0xf0 | UInt8(size >> 8)
        section[2] = UInt8(size & 0xff)
        section += MadeMedia.bigEndian(Int(checksum(section)), 4)
        let result = Array(packet[..<start]) + section
        return result + [UInt8](repeating: 0xff, count: 188 - result.count)
    }

    private static func checksum(_ bytes: [UInt8]) -> UInt32 {
        bytes.reduce(0xffff_ffff as UInt32) { sum, byte in
            (0..<8).reduce(sum ^ UInt32(byte) << 24) { sum, _ in
                sum & 0x8000_0000 != 0 ? sum << 1 ^ 0x04c1_1db7 : sum << 1
            }
        }
    }

    /// An elementary packet of a private stream with a timestamp, in transport packets.
    private static func transport(_ payload: [UInt8], at seconds: Double, _ counter: inout UInt8) -> [UInt8] {
        let ticks = UInt64(seconds * 90_000)
        let stamp: [UInt8] = [
            0x21 | UInt8(ticks >> 29 & 0x0e), UInt8(ticks >> 22 & 0xff), UInt8(ticks >> 14 & 0xfe) | 1,
            UInt8(ticks >> 7 & 0xff), UInt8(ticks << 1 & 0xfe) | 1,
        ]
        let length = payload.count + 8
        let packet: [UInt8] =
            [0, 0, 1, 0xbd, UInt8(length >> 8), UInt8(length & 0xff), 0x84, 0x80, 5] + stamp + payload
        var result: [UInt8] = []
        for place in stride(from: 0, to: packet.count, by: 184) {
            let part = packet[place..<min(packet.count, place + 184)]
            let header: [UInt8] = [0x47, (place == 0 ? 0x40 : 0) | UInt8(tags >> 8), UInt8(tags & 0xff)]
            let stuffing = 184 - part.count
            result += header + [(stuffing > 0 ? 0x30 : 0x10) | counter & 0x0f]
            if stuffing > 0 {
                result += [UInt8(stuffing - 1)] + (stuffing > 1 ? [0] : [])
                result += [UInt8](repeating: 0xff, count: max(0, stuffing - 2))
            }
            result += part
            counter &+= 1
        }
        return result
    }
}
