import AudioTypes
import FFmpegValues
import Glibc
import HTTP
import MediaCoding
import TestSupport
import Testing
import Threads

/// Whatever a file holds, there is one line that names it and says why; never a crash or a hang.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct BadInputTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The one line that refuses a location; the probe's is the same.
    private func refusal(_ path: String) -> MediaError? {
        let error = #expect(throws: MediaError.self) { try MediaSound.of(path) }
        let text = error?.description ?? ""
        #expect(text.hasPrefix("\(path): "))
        #expect(!text.contains("\n") && text.count > path.count + 8)
        return error
    }

    @Test func whatIsNoMediumIsRefused() async throws {
        #expect(refusal(folder.file("missing.flac"))?.description.hasSuffix("No such file or directory") == true)
        #expect(refusal(try folder.write("empty.mp3", ""))?.reason == .isEmpty)
        #expect(refusal(try folder.makeFolder("folder.wav"))?.reason == .isDirectory)
        for name in ["text.txt", "text.mp3", "text.flac", "text.wav", "text.m4a", "text.ogg"] {
            let path = try folder.write(name, String(repeating: "This is not music. ", count: 500))
            switch refusal(path)?.reason {
            // FFmpeg takes text for subtitles or for lost MPEG frames, by its name.
            case .notMedia, .noAudio, .undecodable: break
            case let other: Issue.record("\(name): \(String(describing: other))")
            }
        }
        let zeros = try folder.write("zeros.wav", [UInt8](repeating: 0, count: 100_000))
        #expect(refusal(zeros) != nil)
        let picture = folder.file("picture.png")
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "color=c=red:size=16x16", "-frames:v", "1", picture])
        #expect(refusal(picture)?.reason == .noAudio)
        #expect(try MediaProbe.probe(picture).streams.map(\.kind) == [.video])
        let silent = folder.file("silent.mp4")
        try await MediaFixtures.ffmpeg(
            ["-f", "lavfi", "-i", "color=c=red:size=16x16:duration=1", "-c:v", "mpeg4", silent]
        )
        #expect(refusal(silent)?.reason == .noAudio)
    }

    @Test(.enabled("root may read everything") { getuid() != 0 })
    func whatMayNotBeReadIsRefused() async throws {
        let path = try folder.write("secret.wav", WaveFile.bytes([[1, 2, 3]], sampleRate: 44_100))
        _ = unsafe chmod(path, 0)
        #expect(refusal(path)?.description == "\(path): Permission denied")
    }

    @Test func contentsCountNotTheExtension() async throws {
        let flac = try await MediaFixtures.position(.flac, seconds: 2)
        let expected = try MediaSound.of(flac).bytes
        for name in [
            "wrong.mp3", "wrong.m4a", "wrong.txt", "wrong", "with\nnewline.flac", "%20 #?&:@.flac", "http:.flac",
        ] {
            let path = try folder.write(name, FileBytes.read(flac))
            #expect(try MediaSound.of(path).bytes == expected, "\(name)")
        }
    }

    @Test(arguments: MediaFixtures.Codec.allCases)
    func truncatedFilesPlayAsFarAsTheyGo(_ codec: MediaFixtures.Codec) async throws {
        let rate = codec == .opus ? 48_000 : 44_100
        let path = try await MediaFixtures.audio("truncate", codec, sampleRate: rate) {
            Signal.softNoise(frames: 3 * rate, sampleRate: rate)
        }
        let whole = try MediaSound.of(path)
        let bytes = try FileBytes.read(path)
        for share in [0, 1, 2, 5, 10, 30, 50, 90, 99].map({ bytes.count * $0 / 100 }) + [1, 4, 12, 44, 100, 1_000] {
            let short = try folder.write("short-\(share).\(codec.fileExtension)", Array(bytes.prefix(share)))
            do {
                var reader = try MediaReader.open(MediaEntry(location: short), interrupt: Interrupt())
                var converter = AudioConverter(output: whole.format)
                var sound = MediaSound(format: whole.format)
                try sound.append(&reader, &converter)
                #expect(sound.frameCount <= whole.frameCount + 4_608, "\(share) of \(bytes.count)")
                if codec.isLossless, share > bytes.count / 2 {
                    // What is there is right, and that there was more is noticed.
                    let count = sound.bytes.count * 9 / 10
                    #expect(count > 0 && sound.bytes.prefix(count) == whole.bytes.prefix(count))
                    // Of WAV and AIFF the reader takes the length from what is there.
                    #expect(!reader.damage.isEmpty || [.wav, .aiff].contains(codec), "\(share) of \(bytes.count)")
                }
                // A seek into what is missing ends, or says why it cannot.
                do { _ = try reader.seek(to: MediaTime(seconds: 2.9)) } catch is FFmpegError {}
                sound.bytes = []
                do { try sound.append(&reader, &converter) } catch is FFmpegError {}
            } catch let error as MediaError {
                #expect(error.location == short)
                #expect(!error.description.contains("\n"))
            }
        }
    }

    @Test(arguments: MediaFixtures.Codec.allCases)
    func corruptionInTheMiddleIsPassed(_ codec: MediaFixtures.Codec) async throws {
        let rate = codec == .opus ? 48_000 : 44_100
        let path = try await MediaFixtures.audio("truncate", codec, sampleRate: rate) {
            Signal.softNoise(frames: 3 * rate, sampleRate: rate)
        }
        let whole = try MediaSound.of(path)
        let corrupted = try MediaSound.of(await MediaFixtures.corrupted(path))
        // Undamaged pages and frames are played. A page of Ogg and a frame of TTA last a second, so more is lost there.
        #expect(corrupted.frameCount > whole.frameCount / 4)
        #expect(corrupted.frameCount <= whole.frameCount + 4_608)
        if codec.isLossless, codec != .tta {
            #expect(corrupted.bytes.prefix(40_000) == whole.bytes.prefix(40_000))
        }
    }

    /// A WAV header field by field: what it says may be absurd.
    @Test func absurdWaveHeadersAreRefusedOrPlayed() throws {
        let good = WaveFile.bytes([Array(repeating: 1000, count: 2_000)], sampleRate: 44_100)
        func file(_ name: String, _ edits: [Int: [UInt8]]) throws -> String {
            var bytes = good
            for (place, values) in edits { bytes.replaceSubrange(place..<place + values.count, with: values) }
            return try folder.write("\(name).wav", bytes)
        }
        _ = refusal(try file("channels0", [22: [0, 0]]))
        _ = refusal(try file("rate0", [24: [0, 0, 0, 0]]))
        _ = refusal(try file("rate1", [24: [1, 0, 0, 0]]))
        _ = refusal(try file("channels255", [22: [255, 0], 32: [254, 1]]))
        _ = refusal(try file("rateHuge", [24: [255, 255, 255, 127]]))
        _ = refusal(try file("rateNegative", [24: [0, 0, 0, 128]]))
        _ = refusal(try file("codec", [20: [0x77, 0x77]]))
        // What may be played must not crash, whatever comes out.
        for (name, edits) in [
            ("channels64", [22: [64, 0], 32: [128, 0]]), ("channelsMany", [22: [255, 255]]),
            ("bits0", [34: [0, 0]]), ("bits255", [34: [255, 0]]), ("align0", [32: [0, 0]]),
            ("dataHuge", [40: [255, 255, 255, 255]]), ("data0", [40: [0, 0, 0, 0]]), ("riff0", [4: [0, 0, 0, 0]]),
            ("format0", [16: [0, 0, 0, 0]]), ("formatHuge", [16: [255, 255, 255, 127]]),
            ("rate2000", [24: [0xd0, 7, 0, 0]]),
        ] as [(String, [Int: [UInt8]])] {
            let path = try file(name, edits)
            do { _ = try MediaSound.of(path, as: .cd) } catch let error as MediaError {
                #expect(error.location == path)
            }
        }
        // A file that ends before it was said to is played to its end.
        #expect(try MediaSound.of(try file("longer", [40: [0, 0, 1, 0]])).frameCount == 2_000)
    }

    @Test func absurdID3SizesAreRefused() async throws {
        let mp3 = try FileBytes.read(await MediaFixtures.position(.mp3, seconds: 2))
        for size: [UInt8] in [[127, 127, 127, 127], [0, 127, 127, 127], [255, 255, 255, 255], [0, 0, 0, 1]] {
            let path = try folder.write("tag\(size[0])\(size[3]).mp3", Array("ID3".utf8) + [4, 0, 0] + size + mp3)
            do { #expect(try MediaSound.of(path).frameCount <= 95_000) } catch is MediaError {}
        }
        // Tags on tags, and one that ends where the file ends.
        let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 0]
        let many = try folder.write("many.mp3", Array(repeating: tag, count: 1_000).flatMap(\.self) + mp3)
        do { _ = try MediaSound.of(many) } catch is MediaError {}
        _ = refusal(try folder.write("only.mp3", tag))
    }

    /// MP4's boxes with absurd sizes, counts and times.
    @Test(arguments: [MediaFixtures.Codec.m4a, .m4aITunes, .alac])
    func absurdBoxesAreRefusedOrPlayed(_ codec: MediaFixtures.Codec) async throws {
        let good = try FileBytes.read(await MediaFixtures.position(codec, seconds: 2))
        let absurd: [[UInt8]] = [
            [0, 0, 0, 0], [0, 0, 0, 1], [0, 0, 0, 7], [0, 0, 0, 9], [127, 255, 255, 255], [255, 255, 255, 255],
            [128, 0, 0, 0], [64, 0, 0, 0],
        ]
        for name in [
            "moov", "mvhd", "trak", "tkhd", "mdia", "mdhd", "minf", "stbl", "stts", "edts", "elst", "udta", "ilst",
        ] {
            guard let place = good.firstRange(of: Array(name.utf8))?.lowerBound else { continue }
            // The box's size, and every word of its first 40 bytes: version, counts, time scales, times.
            for word in [-4, 4, 8, 12, 16, 20, 24, 28, 32] {
                for (index, value) in absurd.enumerated() {
                    var bytes = good
                    bytes.replaceSubrange(place + word..<place + word + 4, with: value)
                    let path = try folder.write("\(name)\(word)x\(index).m4a", bytes)
                    do {
                        let sound = try MediaSound.of(path, as: .cd)
                        #expect(sound.frameCount < 100 * 44_100)
                    } catch let error as MediaError {
                        #expect(error.location == path)
                    } catch is FFmpegError {}
                    _ = unsafe unlink(path)
                }
            }
        }
    }
}
