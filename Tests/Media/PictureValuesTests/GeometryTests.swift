import PictureValues
import Testing

/// Sizes and orientations.
@Suite struct GeometryTests {
    @Test(
        arguments: [
            ((8_064, 6_048), 320, 1, (320, 240)),
            ((6_048, 8_064), 320, 1, (240, 320)),
            ((100, 80), 320, 1, (100, 80)),
            ((10_000, 3), 320, 1, (320, 1)),
            ((1, 1), 1, 1, (1, 1)),
            // PAL's wide pixels, and narrow ones.
            ((720, 576), 2_000, 64.0 / 45, (1_024, 576)),
            ((720, 576), 320, 64.0 / 45, (320, 180)),
            ((720, 480), 2_000, 8.0 / 9, (720, 540)),
        ] as [((Int, Int), Int, Double, (Int, Int))]
    )
    func theLongestSideIsBounded(stored: (Int, Int), side: Int, shape: Double, fitted: (Int, Int)) throws {
        let size = try #require(PixelSize(stored.0, stored.1))
        #expect(size.fitted(within: side, pixelShape: shape) == PixelSize(fitted.0, fitted.1))
    }

    @Test(arguments: [(0, 1), (1, 0), (-1, 5), (1 << 21, 1), (Int.max, Int.max)])
    func impossibleSizesAreNone(width: Int, height: Int) { #expect(PixelSize(width, height) == nil) }

    /// The letters of a picture of two rows, as each orientation stores them, are upright again: EXIF 2.32, tag 274.
    @Test(
        arguments: [
            (1, ["ABC", "DEF"]), (2, ["CBA", "FED"]), (3, ["FED", "CBA"]), (4, ["DEF", "ABC"]),
            (5, ["AD", "BE", "CF"]),
            (6, ["CF", "BE", "AD"]), (7, ["FC", "EB", "DA"]), (8, ["DA", "EB", "FC"]),
        ]
    )
    func picturesAreTurnedUpright(number: Int, stored: [String]) throws {
        let orientation = try #require(PictureOrientation(rawValue: number))
        let size = try #require(PixelSize(stored[0].utf8.count, stored.count))
        let pixels = stored.joined().utf8.flatMap { [$0, 0, 255] as [UInt8] }
        let upright = Bitmap(size, channels: 3, pixels: pixels).turned(orientation)
        #expect(upright.size == PixelSize(3, 2))
        let letters = stride(from: 0, to: upright.pixels.count, by: 3).map { upright.pixels[$0] }
        #expect(String(decoding: letters, as: UTF8.self) == "ABCDEF")
    }

    @Test(
        arguments: [(0.0, 1), (90, 6), (-90, 8), (180, 3), (-180, 3), (270, 8), (450, 6), (.nan, 1), (1e300, nil)]
            as [(Double, Int?)]
    )
    func filmsAreTurnedAsTheirMatrixSays(degrees: Double, number: Int?) {
        // Any angle is one of the eight.
        let orientation = PictureOrientation(clockwise: degrees)
        #expect(number == nil || orientation.rawValue == number)
    }

    /// Turning twice is turning once by both: as the properties of HEIF pictures add up.
    @Test(arguments: PictureOrientation.allCases) func orientationsAddUp(orientation: PictureOrientation) throws {
        let size = try #require(PixelSize(3, 2))
        let pixels = "ABCDEF".utf8.flatMap { [$0, 0, 255] as [UInt8] }
        let stored = Bitmap(size, channels: 3, pixels: pixels)
        let once = stored.turned(orientation)
        for (quarters, turn) in zip(-1...2, [PictureOrientation.left, .up, .right, .down]) {
            #expect(once.turned(turn) == stored.turned(orientation.turned(clockwise: quarters)))
        }
        #expect(once.turned(.upMirrored) == stored.turned(orientation.mirrored(upsideDown: false)))
        #expect(once.turned(.downMirrored) == stored.turned(orientation.mirrored(upsideDown: true)))
    }

    @Test func alphaIsPutOnAColour() throws {
        let size = try #require(PixelSize(3, 1))
        let picture = Bitmap(size, channels: 4, pixels: [10, 20, 30, 255, 10, 20, 30, 0, 0, 0, 0, 128])
        #expect(picture.flattened().pixels == [10, 20, 30, 255, 255, 255, 127, 127, 127])
        #expect(picture.flattened(on: .black).pixels == [10, 20, 30, 0, 0, 0, 0, 0, 0])
    }

    @Test func stripsLieSideBySide() throws {
        let (one, two) = (try #require(PixelSize(1, 2)), try #require(PixelSize(2, 1)))
        let strip = try Bitmap(besideEachOther: [
            Bitmap(one, channels: 3, pixels: [1, 1, 1, 2, 2, 2]), Bitmap(two, channels: 3, pixels: [3, 3, 3, 4, 4, 4]),
        ])
        #expect(strip.size == PixelSize(3, 2))
        #expect(strip.pixels == [1, 1, 1, 3, 3, 3, 4, 4, 4, 2, 2, 2, 0, 0, 0, 0, 0, 0])
        #expect(throws: PictureError.self) { try Bitmap(besideEachOther: []) }
    }

    @Test(arguments: [
        (FilmMoment.part(0.1), 10.0), (.part(7), 100), (.seconds(12), 12), (.seconds(1e300), 100), (.seconds(-1), 0),
    ])
    func momentsAreWithinTheFilm(moment: FilmMoment, seconds: Double) { #expect(moment.seconds(of: 100) == seconds) }

    private func bitmap(_ rows: [String]) throws -> Bitmap {
        let size = try #require(PixelSize(rows[0].utf8.count, rows.count))
        return Bitmap(size, channels: 3, pixels: rows.joined().utf8.flatMap { [$0, 0, 255] as [UInt8] })
    }

    private func rows(_ bitmap: Bitmap) -> [String] {
        (0..<bitmap.size.height).map { row in
            let pixels = (0..<bitmap.size.width).map { bitmap.pixels[(row * bitmap.size.width + $0) * 3] }
            return String(decoding: pixels, as: UTF8.self)
        }
    }

    @Test(
        arguments: [
            (["ABCD", "EFGH"], ["BC", "FG"]), (["AB", "CD", "EF", "GH", "IJ"], ["CD", "EF"]),
            (["AB", "CD"], ["AB", "CD"]),
            (["ABC"], ["B"]),
        ]
    )
    func theMiddleIsASquare(whole: [String], middle: [String]) throws {
        #expect(rows(try bitmap(whole).middle) == middle)
    }

    @Test func squaresAreEnlargedEvenly() throws {
        let grown = try bitmap(["AI", "QY"]).enlarged(toSquare: 4)
        #expect(rows(grown) == ["ACGI", "EGKM", "MOSU", "QSWY"])
        #expect(rows(try bitmap(["A"]).enlarged(toSquare: 2)) == ["AA", "AA"])
        let same = try bitmap(["AB", "CD"])
        #expect(same.enlarged(toSquare: 2) == same)
    }
}
