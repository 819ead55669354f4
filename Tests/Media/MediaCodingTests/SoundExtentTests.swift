import AudioTypes
import Foundation
import MediaCoding
import MediaHeaders
import TestSupport
import Testing

/// Tags and padding behind a file's sound are left out, and headers with wrong sizes are not believed.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct SoundExtentTests {
    /// Bytes that programs write behind the sound.
    enum Tail: CaseIterable {
        case old, ape, id3, id3WithPadding, id3WithFooter, apeAndOld, id3AndOld, zeros, apeAndZeros, fewZeros

        var bytes: [UInt8] {
            let text = MadeMedia.frame("TIT2", MadeMedia.text("Tail " + String(repeating: "x", count: 700)))
            let old = Array("TAG".utf8) + [UInt8](repeating: 0x41, count: 125)
            let id3 = MadeMedia.id3(version: 4, text)
            return switch self {
            case .old: old
            case .ape: Self.apeTag
            case .id3: id3
            case .id3WithPadding: MadeMedia.id3(version: 3, text + [UInt8](repeating: 0, count: 1_000))
            case .id3WithFooter: MadeMedia.id3(version: 4, flags: 0x10, text) + Array("3DI".utf8) + id3[3..<10]
            case .apeAndOld: Self.apeTag + old
            case .id3AndOld: id3 + old
            case .zeros: [UInt8](repeating: 0, count: 70_000)
            case .apeAndZeros: Self.apeTag + [UInt8](repeating: 0, count: 4_096)
            case .fewZeros: [0, 0, 0]
            }
        }

        private static var apeTag: [UInt8] {
            let item = MadeMedia.littleEndian(5) + MadeMedia.littleEndian(0) + Array("Title\0Hello".utf8)
            func edge(_ flags: Int) -> [UInt8] {
                Array("APETAGEX".utf8)
                    + [2_000, item.count + 32, 1, flags, 0, 0].flatMap { MadeMedia.littleEndian($0) }
            }
            return edge(0xa000_0000) + item + edge(0x8000_0000)
        }
    }

    @Test(arguments: Tail.allCases, [MediaFixtures.Codec.flac, .mp3, .mp3VBR, .wavpack, .adts])
    func tailsAreNoSound(_ tail: Tail, _ codec: MediaFixtures.Codec) async throws {
        let plain = try await MediaFixtures.audio("tail", codec) {
            Signal.softNoise(frames: 50_000, sampleRate: 44_100)
        }
        let folder = try TemporaryFolder()
        let path = try folder.write("tail.\(codec.fileExtension)", try JoinedFileTests.bytes(plain) + tail.bytes)
        let (sound, damage, info) = try JoinedFileTests.read(path)
        let (wanted, _, wantedInfo) = try JoinedFileTests.read(plain)
        #expect(damage.isEmpty)
        #expect(sound.bytes == wanted.bytes)
        // An ADTS file's length is estimated from its bit rate.
        if codec.isExact { #expect(info.duration == wantedInfo.duration) }
    }

    /// A last frame that is cut off is told of, also before a tag.
    @Test func damageBeforeATailIsTold() async throws {
        let plain = try await MediaFixtures.audio("tail", .flac) {
            Signal.softNoise(frames: 50_000, sampleRate: 44_100)
        }
        var bytes = try JoinedFileTests.bytes(plain)
        bytes.removeLast(900)
        let folder = try TemporaryFolder()
        let path = try folder.write("damaged.flac", bytes + Tail.old.bytes)
        #expect(!(try JoinedFileTests.read(path).1).isEmpty)
    }

    /// A FLAC file that does not say how many samples it has.
    @Test(arguments: [4_096, 50_000, 123_457]) func flacIsMeasuredByItsLastFrame(_ frames: Int) async throws {
        let plain = try await MediaFixtures.audio("unsaid\(frames)", .flac) {
            Signal.softNoise(frames: frames, sampleRate: 44_100)
        }
        var bytes = try JoinedFileTests.bytes(plain)
        bytes[21] &= 0xf0
        bytes.replaceSubrange(22..<26, with: [0, 0, 0, 0])
        let folder = try TemporaryFolder()
        for tail in [[], Tail.old.bytes, Tail.zeros.bytes] {
            let path = try folder.write("unsaid.flac", bytes + tail)
            let (sound, damage, info) = try JoinedFileTests.read(path)
            #expect(damage.isEmpty)
            #expect(sound.frameCount == frames)
            #expect(info.duration?.sample(at: 44_100) == frames)
            #expect(MadeMedia.read(bytes + tail).1.duration == Double(frames) / 44_100)
        }
    }

    /// Sizes that WAV's 32 bits cannot say, or that were not known when they were written.
    @Test(arguments: [0, 0xffff_ffff], ["RIFF", "RF64"])
    func waveWithoutASizeGoesToTheEnd(_ size: Int, _ magic: String) async throws {
        let signal = Signal.noise(frames: 30_000)
        let data = Signal.integers(signal).flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
        let list =
            Array("LIST".utf8) + MadeMedia.littleEndian(18) + Array("INFOINAM".utf8) + MadeMedia.littleEndian(6)
            + Array("Hello\0".utf8)
        let folder = try TemporaryFolder()
        for tail in [[], list] {
            let bytes = Self.waveHead(size, magic) + data + tail
            let path = try folder.write("open.wav", bytes)
            let (sound, damage, info) = try JoinedFileTests.read(path)
            #expect(damage.isEmpty)
            #expect(sound.integers(0) == Signal.integers(signal))
            #expect(info.duration?.sample(at: 44_100) == 30_000)
            let (_, file) = MadeMedia.read(bytes, uri: "open.wav")
            #expect(file.duration == 30_000.0 / 44_100)
            #expect(file.tags.map(\.1) == (tail.isEmpty ? [] : ["Hello"]))
        }
    }

    /// A file of more than 4 GiB, all but its last second a hole: its size is what is left of it modulo 2^32.
    @Test(arguments: [nil, 0xffff_ffff]) func waveBeyond4GiBIsPlayedToItsEnd(_ stated: Int?) async throws {
        let size = 4_500_000_000 / 88_200 * 88_200
        let signal = Signal.integers(Signal.noise(frames: 44_100))
        let data = signal.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let folder = try TemporaryFolder()
        let head = Self.waveHead(stated ?? size % (1 << 32), "RIFF")
        let path = try folder.write("long.wav", head)
        let file = try FileHandle(forWritingTo: URL(filePath: path))
        try file.seek(toOffset: UInt64(head.count + size - data.count))
        try file.write(contentsOf: data)
        try file.close()
        let frames = size / 2
        #expect(try MediaProbe.probe(path).duration?.sample(at: 44_100) == frames)
        let start = MediaTime(sample: frames - 44_100, at: 44_100)
        let sound = try MediaSound.of(MediaEntry(location: path, start: start))
        #expect(sound.integers(0) == signal)
    }

    /// One channel of 16 bits.
    static func waveHead(_ size: Int, _ magic: String) -> [UInt8] {
        let format =
            [1, 1].flatMap { MadeMedia.littleEndian($0, 2) } + MadeMedia.littleEndian(44_100)
            + MadeMedia.littleEndian(88_200) + [2, 16].flatMap { MadeMedia.littleEndian($0, 2) }
        let long =
            magic == "RIFF" ? [] : Array("ds64".utf8) + MadeMedia.littleEndian(28) + [UInt8](repeating: 0, count: 28)
        return Array(magic.utf8) + MadeMedia.littleEndian(0xffff_ffff) + Array("WAVE".utf8) + long + Array("fmt ".utf8)
            + MadeMedia.littleEndian(16) + format + Array("data".utf8) + MadeMedia.littleEndian(size)
    }
}
