import AudioTypes
import FFmpegValues
import Foundation
import MediaCoding
import TestSupport
import Testing
import Threads

/// Media of public collections that were once played wrongly, or not at all.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct OddMediaTests {
    /// Three channels are left, right and centre, not left, right and low frequencies.
    @Test(arguments: ["wav", "flac"]) func threeChannelsStayThree(_ container: String) async throws {
        let path = try await MediaFixtures.file("three.\(container)") { path in
            let tones = "aevalsrc='0.1*sin(2*PI*440*t)|0.2*sin(2*PI*550*t)|0.4*sin(2*PI*660*t)':c=3.0:s=44100:d=1"
            try MediaFixtures.ffmpeg(["-f", "lavfi", "-i", tones, path])
        }
        let format = AudioFormat(sampleFormat: .s16, sampleRate: 44_100, channels: ChannelLayout(count: 3))
        let sound = try MediaSound.of(MediaEntry(location: path), as: format)
        for (channel, amplitude) in [0.1, 0.2, 0.4].enumerated() {
            let level = Analysis.level(sound.channel(channel))
            #expect(abs(level - 20 * log10(amplitude / 2.0.squareRoot())) < 0.05, "channel \(channel)")
        }
    }

    @Test func tagsAfterWavPackAreItsEnd() async throws {
        let path = try await MediaFixtures.audio("tail", .wavpack) { Signal.noise(frames: 60_000) }
        let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        func number(_ value: Int) -> [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
        let item = number(5) + number(0) + Array("Title\0Hello".utf8)
        func ape(_ flags: Int) -> [UInt8] {
            Array("APETAGEX".utf8) + number(2_000) + number(item.count + 32) + number(1) + number(flags) + number(0)
                + number(0)
        }
        let old = Array("TAG".utf8) + [UInt8](repeating: 0x78, count: 125)
        for tail in [ape(0xa000_0000) + item + ape(0x8000_0000), old, ape(0xa000_0000) + item + ape(0x8000_0000) + old]
        {
            let folder = try TemporaryFolder()
            let tagged = try folder.write("tagged.wv", bytes + tail)
            #expect(try MediaSound.of(tagged).frameCount == 60_000)
        }
    }

    /// A Xing header that counts the wrong number of frames.
    @Test(arguments: [0, 1, 0xffff_ffff] as [UInt32]) func aWrongNumberOfFramesIsNotBelieved(
        _ frames: UInt32
    ) async throws {
        let path = try await MediaFixtures.audio("misleading", .mp3VBR) {
            Signal.chorus(seconds: 3, sampleRate: 44_100, seed: 1)
        }
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
        let tag = try #require(Data(bytes).firstRange(of: Data("Xing".utf8))?.lowerBound)
        for place in 0..<4 { bytes[tag + 8 + place] = UInt8(truncatingIfNeeded: frames >> (24 - 8 * UInt32(place))) }
        let folder = try TemporaryFolder()
        let wrong = try folder.write("wrong.mp3", bytes)
        let info = try MediaProbe.probe(wrong)
        #expect(abs(try #require(info.duration).seconds - 3) < 0.1)
        // Without the paddings, since their place is not known.
        #expect(abs(try MediaSound.of(wrong).frameCount - 3 * 44_100) < 3_000)
    }

    /// A length that the file does not say is told as the library measures it.
    @Test func lengthsThatAreNotSaidAreMeasured() throws {
        let fast = [0xff, 0xfb, 0x90, 0x40] + [UInt8](repeating: 0, count: 413)
        let slow = [0xff, 0xfb, 0x50, 0x40] + [UInt8](repeating: 0, count: 204)
        let folder = try TemporaryFolder()
        let path = try folder.write(
            "changing.mp3",
            Array(repeatElement(fast, count: 10).joined()) + Array(repeatElement(slow, count: 900).joined())
        )
        let duration = try #require(try MediaProbe.describe(path).duration)
        #expect(abs(duration.seconds - 910.0 * 1_152 / 44_100) < 0.001)
    }

    /// FFmpeg's own words invite to write a part of it.
    @Test func kindsThatFFmpegDoesNotReadAreCalledSo() throws {
        let folder = try TemporaryFolder()
        // Musepack with a version of its stream that there is not, 9.
        let header: [UInt8] = [0x0e, 0xef, 0x2a, 0x29, 0x81, 9, 0x84, 0x83, 0x5e, 0, 5, 0x19]
        let bytes = Array("MPCKSH".utf8) + header + [UInt8](repeating: 0, count: 200)
        let path = try folder.write("nine.mpc", bytes)
        #expect(throws: MediaError(location: path, reason: .unsupported)) { try MediaProbe.probe(path) }
        // AVERROR_PATCHWELCOME.
        #expect(FFmpegError(code: -0x4557_4150, operation: "").reason == "the installed FFmpeg does not support this")
    }

    @Test(.enabled("speexenc is missing") { ChildProcess.missing("speexenc").isEmpty })
    func speexEndsWhereItsLastPageSays() async throws {
        let wave = try await MediaFixtures.audio("speex", .wav, sampleRate: 16_000, channels: 1) {
            Signal.tone(440, seconds: 2.345, sampleRate: 16_000)
        }
        let folder = try TemporaryFolder()
        let path = folder.file("made.spx")
        try ChildProcess.run("speexenc", [wave, path])
        #expect(try MediaSound.of(path).frameCount == 37_520)
        #expect(try MediaProbe.probe(path).duration?.sample(at: 16_000) == 37_520)
    }

    /// Old encoders present each packet one packet later than it is decoded; version 1 of the box has negative offsets, too.
    @Test(arguments: [1_024, -1_024]) func soundIsWholeThatIsPresentedLater(_ offset: Int) async throws {
        let signal = Signal.softNoise(frames: 40_003, sampleRate: 44_100)
        let wave = try await MediaFixtures.audio("later", .wav) { signal }
        let folder = try TemporaryFolder()
        let path = folder.file("plain.m4a")
        try await MediaFixtures.ffmpeg(["-i", wave, "-c:a", "alac", "-use_editlist", "0", path])
        var file = MP4File(bytes: try FileBytes.read(path))
        file.addPresentationOffset(offset, packets: 10)
        let later = try folder.write("later.m4a", file.bytes)
        #expect(try MediaProbe.probe(later).duration?.sample(at: 44_100) == 40_003)
        var reader = try MediaReader.open(MediaEntry(location: later), interrupt: Interrupt())
        var converter = AudioConverter(output: .cd)
        var sound = MediaSound(format: .cd)
        try sound.append(&reader, &converter, upTo: 50_000)
        #expect(sound.integers(0) == Signal.integers(signal))
        let middle = MediaTime(sample: 20_000, at: 44_100)
        #expect(try reader.seek(to: middle) == middle)
        converter = AudioConverter(output: .cd)
        var rest = MediaSound(format: .cd)
        try rest.append(&reader, &converter, upTo: 50_000)
        #expect(rest.integers(0) == Array(Signal.integers(signal)[20_000...]))
    }

    /// FFmpeg 5.1 decodes no FLAC with 32 bits, and says nothing.
    @Test(.enabled("flac is missing") { ChildProcess.missing("flac").isEmpty })
    func whatIsNotDecodedIsNotCalledSilent() async throws {
        let folder = try TemporaryFolder()
        let (wave, path) = (folder.file("long.wav"), folder.file("long.flac"))
        try await MediaFixtures.ffmpeg(
            [
                "-f", "lavfi", "-i", "anoisesrc=d=1:r=44100", "-c:a", "pcm_s32le", "-bitexact", "-map_metadata", "-1",
                wave,
            ]
        )
        try ChildProcess.run("flac", ["-s", wave, "-o", path])
        do {
            #expect(try MediaSound.of(path).frameCount == 44_100)
        } catch let error as MediaError {
            #expect(error.reason == .flac32)
        }
    }
}
