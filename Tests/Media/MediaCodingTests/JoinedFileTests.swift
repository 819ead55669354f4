import AudioTypes
import Foundation
import MediaCoding
import TestSupport
import Testing
import Threads

/// Files that were put one behind another: all of them is heard, wherever a header says that the sound ends.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct JoinedFileTests {
    static let seconds = 3
    static let tags = MadeMedia.id3(version: 4, MadeMedia.frame("TIT2", MadeMedia.text("Second")))
    /// A picture of 1.5 MB, in whose bytes there is no frame.
    static let cover = MadeMedia.id3(
        version: 4,
        MadeMedia.frame("APIC", [0] + Array("image/png\0".utf8) + [3, 0] + [UInt8](repeating: 0x5a, count: 1_500_000))
    )
    static let old = Array("TAG".utf8) + [UInt8](repeating: 0x41, count: 125)

    /// How two MP3 files are joined.
    enum Joint: CaseIterable {
        case plain, tagBefore, tagBehind, tagsAtBoth, coverBetween, withoutACount

        func join(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
            switch self {
            case .plain: first + second
            case .tagBefore: first + tags + second
            case .tagBehind: first + old + second
            case .coverBetween: first + cover + second
            case .tagsAtBoth: first + old + tags + second + old
            // The second one's frame without sound is missing, as of a file that was cut.
            case .withoutACount: first + second[lengthOfFrame(second)...]
            }
        }
    }

    /// In bytes, of the first frame.
    static func lengthOfFrame(_ bytes: [UInt8]) -> Int {
        MPEGAudioHeader(bits: bytes[..<4].reduce(0) { $0 << 8 | UInt32($1) })?.byteCount ?? 0
    }

    static func bytes(_ path: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(filePath: path))) }

    static func position(_ codec: MediaFixtures.Codec, _ sampleRate: Int = 44_100) async throws -> String {
        try await MediaFixtures.position(codec, seconds: seconds, sampleRate: sampleRate)
    }

    /// All sound of a file, and what was damaged.
    static func read(_ path: String) throws -> (MediaSound, MediaReader.Damage, MediaInfo) {
        var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
        let info = reader.info
        let format = AudioFormat(sampleFormat: .s16, sampleRate: reader.sampleRate, channels: .stereo)
        var converter = AudioConverter(output: format)
        var sound = MediaSound(format: format)
        try sound.append(&reader, &converter)
        try sound.append(&converter)
        return (sound, reader.damage, info)
    }

    @Test(arguments: Joint.allCases, [MediaFixtures.Codec.mp3, .mp3VBR])
    func bothPartsOfMP3AreHeard(_ joint: Joint, _ codec: MediaFixtures.Codec) async throws {
        let part = try await MediaFixtures.audio("part", codec) {
            Signal.softNoise(frames: 130_000, sampleRate: 44_100)
        }
        let folder = try TemporaryFolder()
        var second = try Self.bytes(part)
        // Without the tag that the encoder wrote.
        second.removeFirst(second.starts(with: Array("ID3".utf8)) ? 10 + Int(second[8]) << 7 + Int(second[9]) : 0)
        let path = try folder.write("joined.mp3", joint.join(try Self.bytes(part), second))
        let (sound, damage, info) = try Self.read(path)
        #expect(damage.isEmpty)
        let alone = try MediaSound.of(part)
        let duration = try #require(try MediaProbe.describe(path).duration)
        #expect(sound.frameCount == duration.sample(at: 44_100))
        #expect(info.duration == duration)
        // Between them is the padding of both.
        #expect((0..<4_000).contains(sound.frameCount - 2 * alone.frameCount))
        // Once the decoder is past the joint, its samples are the second part's. Where nothing says how many frames there are,
        // the last one's padding is heard.
        let samples = sound.channel(0)
        let wanted = alone.channel(0)[60_000..<70_000]
        let found = try #require(Analysis.find(wanted, in: samples[(alone.frameCount)...]))
        let place = alone.frameCount + found.offset
        #expect(Array(samples[place..<place + wanted.count]) == Array(wanted))
        #expect((0..<4_000).contains(place - alone.frameCount - 60_000))

        // A seek leads to the same sample.
        for goal in [100, alone.frameCount - 500, alone.frameCount + 3_000, place] {
            var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
            var converter = AudioConverter(output: sound.format)
            #expect(try reader.seek(to: MediaTime(sample: goal, at: 44_100)).sample(at: 44_100) == goal)
            var rest = MediaSound(format: sound.format)
            try rest.append(&reader, &converter, upTo: 3_000)
            #expect(Analysis.signalToNoise(samples[goal..<goal + 3_000], rest.channel(0)) > 60, "at \(goal)")
        }
    }

    /// The streams of an Ogg file that follow one another.
    @Test(arguments: [[MediaFixtures.Codec.vorbis, .vorbis, .vorbis], [.opus, .opus], [.opus, .vorbis, .opus]])
    func allStreamsOfOggAreHeard(_ codecs: [MediaFixtures.Codec]) async throws {
        let folder = try TemporaryFolder()
        var (bytes, parts): ([UInt8], [MediaSound]) = ([], [])
        let format = AudioFormat(sampleFormat: .s16, sampleRate: 48_000, channels: .stereo)
        for (index, codec) in codecs.enumerated() {
            // The last one has a single page.
            let seconds = index == codecs.count - 1 ? 0.3 : 2
            let path = try await MediaFixtures.audio("link\(index)", codec, sampleRate: 48_000) {
                Signal.chorus(seconds: seconds, sampleRate: 48_000, seed: UInt64(index))
            }
            bytes += try Self.bytes(path)
            parts.append(try MediaSound.of(path, as: format))
        }
        let path = try folder.write("chain.ogg", bytes)
        let (sound, damage, info) = try Self.read(path)
        #expect(damage.isEmpty)
        #expect(sound.bytes == parts.flatMap(\.bytes))
        #expect(info.duration?.sample(at: 48_000) == sound.frameCount)

        // To and fro, into each stream.
        var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
        var converter = AudioConverter(output: format)
        let samples = sound.channel(0)
        for goal in [100_000, 5_000, sound.frameCount - 9_000, 95_990, 96_000, 150_000, 0] where goal < samples.count {
            #expect(try reader.seek(to: MediaTime(sample: goal, at: 48_000)).sample(at: 48_000) == goal)
            converter.reset()
            var rest = MediaSound(format: format)
            try rest.append(&reader, &converter, upTo: 8_000)
            let wanted = samples[goal..<min(goal + 8_000, samples.count)]
            #expect(rest.frameCount == wanted.count)
            // Opus converges (RFC 7845, section 4.6).
            #expect(Analysis.signalToNoise(wanted, rest.channel(0)) > 25, "at \(goal)")
        }
    }

    /// Streams of different rates and numbers of channels, and one joined to itself, whose number is the same again.
    @Test func streamsOfOtherShapesAreHeard() async throws {
        let wide = try await Self.position(.vorbis)
        let narrow = try await MediaFixtures.audio("narrow", .vorbis, sampleRate: 22_050, channels: 1) {
            Signal.position(seconds: Self.seconds, sampleRate: 22_050)
        }
        let folder = try TemporaryFolder()
        for (name, parts) in [("a.ogg", [wide, narrow]), ("b.ogg", [narrow, wide, narrow]), ("c.ogg", [wide, wide])] {
            let path = try folder.write(name, try parts.flatMap(Self.bytes))
            let format = AudioFormat(sampleFormat: .s16, sampleRate: 44_100, channels: .stereo)
            let sound = try MediaSound.of(path, as: format)
            let frames = parts.count * Self.seconds * 44_100
            #expect(abs(sound.frameCount - frames) <= parts.count)
            #expect(try #require(try MediaProbe.probe(path).duration).seconds == Double(parts.count * Self.seconds))
            // Each second of each stream is at its place.
            let samples = sound.channel(0)
            for second in 0..<parts.count * Self.seconds {
                let window = samples[(second * 44_100 + 10_000)..<(second * 44_100 + 30_000)]
                let pitch = Analysis.frequency(Array(window), sampleRate: 44_100)
                #expect(abs(pitch - Signal.positionFrequency(second % Self.seconds)) < 2, "\(name), second \(second)")
            }
            var reader = try MediaReader.open(MediaEntry(location: path), interrupt: Interrupt())
            for second in [4.5, 1.25, Double(parts.count * Self.seconds) - 0.5] {
                let time = MediaTime(seconds: second)
                #expect(abs(try reader.seek(to: time).seconds - second) < 0.0001)
                var converter = AudioConverter(output: format)
                var rest = MediaSound(format: format)
                try rest.append(&reader, &converter)
                try rest.append(&converter)
                #expect(abs(rest.frameCount - (frames - Int(second * 44_100))) <= parts.count, "\(name) from \(second)")
            }
        }
    }

    /// A stream of which nothing can be played is told, and the others are heard.
    @Test func aDamagedStreamIsToldOf() async throws {
        let part = try Self.bytes(try await Self.position(.vorbis))
        let folder = try TemporaryFolder()
        var damaged = part
        // Its codec's header.
        damaged.replaceSubrange(28..<58, with: [UInt8](repeating: 0x55, count: 30))
        let path = try folder.write("damaged.ogg", part + damaged + part)
        let (sound, damage, _) = try Self.read(path)
        #expect(sound.frameCount == 2 * Self.seconds * 44_100)
        #expect(damage.packets == 1)
        #expect(damage.first == MediaTime(seconds: Double(Self.seconds)))
    }
}
