import AudioTypes
import Testing

/// The gates of ITU-R BS.1770-4, and blocks as bytes.
struct BlockTests {
    private func blocks(_ loudness: Double...) -> LoudnessBlocks {
        var blocks = LoudnessBlocks()
        for loudness in loudness { blocks.add(loudness) }
        return blocks
    }

    @Test func theMeanIsOfEnergies() throws {
        let mean = try #require(blocks(-20, -23.0103).integrated)
        #expect(abs(mean - -21.249) < 0.001)
    }

    @Test func silenceHasNoLoudness() {
        #expect(LoudnessBlocks().integrated == nil)
        #expect(blocks(-70, -90, -.infinity, .nan, .infinity).integrated == nil)
    }

    @Test func whatIsFarBelowTheMeanIsLeftOut() throws {
        #expect(try #require(blocks(-20, -20, -60).integrated).rounded() == -20)
        let near = try #require(blocks(-20, -29).integrated)
        #expect(abs(near - -22.496) < 0.001)
    }

    @Test func bytesGiveTheSameBlocks() throws {
        var many = LoudnessBlocks()
        for index in 0..<5_000 { many.add(-30 + Double(index % 1_731) / 100) }
        let again = try #require(LoudnessBlocks(bytes: many.bytes))
        #expect(again.bytes == many.bytes)
        #expect(abs(try #require(again.integrated) - many.integrated!) < 0.05)
        #expect(LoudnessBlocks(bytes: [])?.integrated == nil)
    }

    @Test(arguments: [
        [0x80], [0xff, 0xff, 0xff, 0xff, 0xff, 0x7f], [0xe7, 0x07, 1, 1], [0xff, 0xff, 0xff, 0xff, 0x7f, 1],
    ])
    func otherBytesAreRefused(_ bytes: [UInt8]) { #expect(LoudnessBlocks(bytes: bytes) == nil) }

    @Test func aGainLeadsToTheReferenceWithinBounds() {
        #expect(Loudness.gain(-9.5) == -8.5)
        #expect(Loudness.gain(-60) == Loudness.largestGain)
    }
}
