import AudioTypes
import Testing

@Suite struct ADTSHeaderTests {
    /// A frame of AAC LC in stereo at 44.1 kHz, full of what is no syncword.
    private func frame(_ byteCount: Int) -> [UInt8] {
        let length = [UInt8(byteCount >> 11), UInt8(byteCount >> 3 & 255), UInt8(byteCount & 7) << 5 | 0x1f]
        return [0xff, 0xf1, 0x50, 0x80 | length[0], length[1], length[2], 0xfc]
            + [UInt8](repeating: 0x55, count: byteCount - 7)
    }

    /// What an encoder's bits may look like: a header of 8,187 bytes, as one that was joined in its middle showed.
    private let chance: [UInt8] = [0xff, 0xfb, 0x5f, 0xa7, 0xff, 0x6f, 0xdf]
    private let plausible: [UInt8] = [0xff, 0xf1, 0x50, 0x83, 0xff, 0xff, 0xfc]

    @Test(arguments: [0, 1, 50, 362]) func theFirstFrameIsFound(offset: Int) {
        let stream = [UInt8](repeating: 0x55, count: offset) + frame(363) + frame(325) + frame(1000) + frame(7)
        #expect(ADTSHeader.firstFrame(in: stream) == offset)
    }

    @Test func aSyncwordByChanceIsNoFrame() {
        for chance in [chance, plausible] {
            let stream = chance + [UInt8](repeating: 0x55, count: 40) + frame(363) + frame(325) + frame(369)
            #expect(ADTSHeader.firstFrame(in: stream) == 47)
        }
    }

    @Test func framesOfAnotherStreamDoNotFollow() {
        var other = frame(363)
        other[2] = 0x4c
        #expect(ADTSHeader.firstFrame(in: other + frame(325)) == nil)
        #expect(ADTSHeader.firstFrame(in: other + frame(325) + frame(330)) == 363)
    }

    @Test(arguments: [0, 1, 6, 7, 8, 369, 370]) func whatEndsInFrontOfASecondHeaderHasNone(count: Int) {
        #expect(ADTSHeader.firstFrame(in: Array((frame(364) + frame(364)).prefix(count))) == nil)
        #expect(ADTSHeader(Array(frame(364).prefix(6)), at: 0) == nil)
    }
}
