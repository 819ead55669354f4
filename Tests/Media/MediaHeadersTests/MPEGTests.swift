import TestSupport
import Testing

@testable import MediaHeaders

@Suite struct MPEGTests {
    @Test func constantRateWithoutAHeaderIsExact() {
        let (result, file) = MadeMedia.read(MadeMedia.mp3(frames: 1000))
        #expect(result == .complete)
        #expect(file.isExactlyTimed)
        // 417 bytes at 128 kbit/s.
        #expect(abs((file.duration ?? 0) - 417_000 * 8 / 128_000.0) < 1e-9)
        #expect(file.bitRate == 128_000)
    }

    @Test func changingRateWithoutAHeaderIsAnEstimate() {
        var bytes = MadeMedia.mp3(frames: 10)
        // 64 kbit/s: 208 bytes.
        for _ in 0..<30 { bytes += [0xff, 0xfb, 0x50, 0x40] + [UInt8](repeating: 1, count: 204) }
        let (result, file) = MadeMedia.read(bytes)
        #expect(result == .complete)
        #expect(!file.isExactlyTimed)
        #expect((0.5...2).contains((file.duration ?? 0) / (40 * 1152 / 44_100.0)))
    }

    @Test func lamesHeaderTellsTheLengthToTheSample() {
        var first = [UInt8](repeating: 0, count: 417)
        first.replaceSubrange(0..<4, with: [0xff, 0xfb, 0x90, 0x40])
        first.replaceSubrange(36..<48, with: Array("Info".utf8) + [0, 0, 0, 1] + MadeMedia.bigEndian(50, 4))
        first.replaceSubrange(48..<52, with: Array("LAME".utf8))
        // 576 samples before, 1000 behind.
        first.replaceSubrange(69..<72, with: [0x24, 0x03, 0xe8])
        let file = MadeMedia.read(first + MadeMedia.mp3(frames: 50)).1
        #expect(file.duration == Double(50 * 1152 - 1576) / 44_100)
        #expect(file.isExactlyTimed)
        // The header does not belong to the sound: programs rewrite it.
        #expect(file.portableID == MadeMedia.read(MadeMedia.mp3(frames: 50)).1.portableID)
    }

    /// LAME writes paddings that are longer than the sound of almost nothing.
    @Test func paddingsOfMoreThanAllAreNotCutOff() {
        var first = Self.info(3)
        first.replaceSubrange(52..<56, with: Array("LAME".utf8))
        // 576 samples before, 3452 behind: 3,456 there are.
        for (padding, isCut) in [([0x24, 0x0d, 0x7c], false), ([0x24, 0x03, 0xe8], true)] as [([UInt8], Bool)] {
            first.replaceSubrange(73..<76, with: padding)
            let file = MadeMedia.read(first + MadeMedia.mp3(frames: 3)).1
            #expect(file.duration == Double(3 * 1152 - (isCut ? 1576 : 0)) / 44_100)
        }
    }

    /// libavformat decides whether so few frames are MP3.
    @Test func fewFramesAreLeftToLibavformat() {
        #expect(MadeMedia.read(MadeMedia.mp3(frames: 3)).0 == .unknown)
        #expect(MadeMedia.read(MadeMedia.mp3(frames: 3)).1.portableID != nil)
        #expect(MadeMedia.read(MadeMedia.mp3(frames: 4)).0 == .complete)
    }

    /// A frame without sound that counts those behind it, and their bytes.
    private static func info(_ frames: Int, bytes: Int? = nil) -> [UInt8] {
        var frame = [UInt8](repeating: 0, count: 417)
        frame.replaceSubrange(0..<4, with: [0xff, 0xfb, 0x90, 0x40])
        let counts = MadeMedia.bigEndian(frames, 4) + MadeMedia.bigEndian(bytes ?? 417 * (frames + 1), 4)
        frame.replaceSubrange(36..<52, with: Array("Info".utf8) + [0, 0, 0, 3] + counts)
        return frame
    }

    @Test func partsOfAJoinedFileAreAdded() {
        let part = Self.info(100) + MadeMedia.mp3(frames: 100)
        let tags = Array("TAG".utf8) + [UInt8](repeating: 0x20, count: 125) + MadeMedia.id3(version: 4, [])
        for between in [[], tags] {
            let file = MadeMedia.read(part + between + part + between + part).1
            #expect(file.duration == Double(300 * 1152) / 44_100)
            #expect(file.isExactlyTimed)
        }
        // Sound that no frame counts is measured.
        let file = MadeMedia.read(part + MadeMedia.mp3(frames: 50)).1
        #expect(!file.isExactlyTimed)
        #expect(abs((file.duration ?? 0) - 150 * 1152 / 44_100.0) < 0.1)
        // Bytes behind the counted frames that are no frames change nothing.
        #expect(MadeMedia.read(part + [UInt8](repeating: 0x61, count: 9_000)).1.duration == 100.0 * 1152 / 44_100)
    }

    @Test(arguments: [0, 1, 0xffff_ffff]) func impossibleNumbersOfFramesAreNotBelieved(_ count: Int) {
        let file = MadeMedia.read(Self.info(count, bytes: 417 * 201) + MadeMedia.mp3(frames: 200)).1
        #expect(abs((file.duration ?? 0) - 200.0 * 1152 / 44_100) < 0.1)
        #expect(!file.isExactlyTimed)
    }

    @Test func junkIsPassedOnlyWhereSoundIsPromised() {
        let bytes = [UInt8](repeating: 0x20, count: 3000) + MadeMedia.mp3()
        #expect(MadeMedia.read(bytes, uri: "a.MP3").0 == .complete)
        #expect(MadeMedia.read(bytes, uri: "a.avi").0 == .unknown)
    }

    @Test func otherSoundIsAnotherIdentity() {
        let one = MadeMedia.read(MadeMedia.mp3(seed: 1)).1.portableID
        #expect(one != nil)
        #expect(one != MadeMedia.read(MadeMedia.mp3(seed: 2)).1.portableID)
        #expect(one != MadeMedia.read(MadeMedia.mp3(frames: 41, seed: 1)).1.portableID)
    }

    /// The published values of MurmurHash3_x64_128.
    @Test(
        arguments: [
            ("", 0, 0),
            ("hello", 0xcbd8_a7b3_41bd_9b02, 0x5b1e_906a_48ae_1d19),
            ("hello, world", 0x342f_ac62_3a5e_bc8e, 0x4cdc_bc07_9642_414d),
            ("The quick brown fox jumps over the lazy dog.", 0xcd99_481f_9ee9_02c9, 0x695d_a1a3_8987_b6e7),
        ] as [(String, UInt64, UInt64)]
    )
    func hashIsMurmur(text: String, first: UInt64, second: UInt64) {
        let found = Murmur.hash(Array(text.utf8))
        #expect(found.0 == first)
        #expect(found.1 == second)
    }
}
