import PictureValues
import Testing

/// From luma and chroma to sRGB.
@Suite struct ColourTests {
    private func colour(
        _ matrix: Int = 1,
        transfer: Int = 1,
        primaries: Int = 1,
        full: Bool = false,
        depth: Int = 8
    ) -> VideoColour {
        VideoColour(matrix: matrix, transfer: transfer, primaries: primaries, isFullRange: full, depth: depth)
    }

    /// The primaries of ITU-R BT.709 and BT.601 in limited range, as test cards have them.
    @Test(
        arguments: [
            (1, [16, 128, 128], [0, 0, 0]), (1, [235, 128, 128], [255, 255, 255]), (1, [63, 102, 240], [255, 0, 0]),
            (1, [173, 42, 26], [0, 255, 0]), (1, [32, 240, 118], [0, 0, 255]), (6, [81, 90, 240], [255, 0, 0]),
            (6, [145, 54, 34], [0, 255, 0]), (6, [41, 240, 110], [0, 0, 255]),
        ] as [(Int, [UInt16], [Int])]
    )
    func knownColours(matrix: Int, code: [UInt16], expected: [Int]) {
        let pixel = colour(matrix).sRGB(code.map { [$0] })
        for (found, wanted) in zip(pixel, expected) { #expect(abs(Int(found) - wanted) <= 2, "\(pixel)") }
    }

    @Test func fullRangeAndDepth() {
        #expect(
            colour(full: true).sRGB([[0, 128, 255], [128, 128, 128], [128, 128, 128]]) == [
                0, 0, 0, 128, 128, 128, 255, 255, 255,
            ]
        )
        #expect(colour(depth: 10).sRGB([[64, 940], [512, 512], [512, 512]]) == [0, 0, 0, 255, 255, 255])
        // What is out of range is as far as the range goes.
        #expect(colour().sRGB([[0, 255], [128, 128], [128, 128]]) == [0, 0, 0, 255, 255, 255])
        // Grey alone, and planes of green, blue and red.
        #expect(colour(full: true).sRGB([[7, 200]]) == [7, 7, 7, 200, 200, 200])
        #expect(colour(0, full: true).sRGB([[1], [2], [3]]) == [3, 1, 2])
    }

    /// PQ (SMPTE ST 2084): 58 % is diffuse white, and greys stay greys, from dark to bright in order.
    @Test(arguments: [16, 18])
    func brightnessBeyondWhiteIsRolledOff(transfer: Int) {
        let ramp = (0...255).map { UInt16(64 + $0 * 876 / 255) }
        let grey = [UInt16](repeating: 512, count: ramp.count)
        let pixels = colour(9, transfer: transfer, primaries: 9, depth: 10).sRGB([ramp, grey, grey])
        let levels = stride(from: 0, to: pixels.count, by: 3).map { Int(pixels[$0]) }
        #expect(levels[0] <= 1 && levels[255] >= 250, "\(levels)")
        #expect(zip(levels, levels.dropFirst()).allSatisfy { $0 <= $1 }, "\(levels)")
        for pixel in stride(from: 0, to: pixels.count, by: 3) {
            let colour = pixels[pixel..<pixel + 3].map(Int.init)
            #expect(colour.allSatisfy { abs($0 - colour[0]) <= 1 }, "\(colour)")
        }
        // Diffuse white (58 % of PQ, 75 % of HLG) is bright, and not yet white: highlights have room.
        let white = levels[transfer == 16 ? 148 : 191]
        #expect((190...250).contains(white), "\(white)")
    }

    @Test func widerPrimariesAreNarrowed() {
        // Display P3's red is beyond sRGB's; its white is the same.
        let red = colour(0, transfer: 13, primaries: 12, full: true).sRGB([[0], [0], [255]])
        #expect(red == [255, 0, 0])
        let dull = colour(0, transfer: 13, primaries: 12, full: true).sRGB([[100], [100], [200]])
        #expect(dull[0] > 205 && dull[1] < 100, "\(dull)")
        #expect(
            colour(0, transfer: 13, primaries: 12, full: true).sRGB([[255], [255], [255]]).allSatisfy { $0 >= 254 }
        )
    }

    @Test(arguments: [Double.nan, .infinity, -1, 0, 1e300])
    func anyPeakIsBounded(peak: Double) {
        let colour = VideoColour(matrix: 9, transfer: 16, primaries: 9, isFullRange: true, depth: 10, peak: peak)
        #expect((203...10_000).contains(colour.peak))
        #expect(colour.sRGB([[1_023], [512], [512]]).allSatisfy { $0 > 200 })
    }
}
