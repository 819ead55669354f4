import MediaHeaders
import PictureValues
import TestSupport
import Testing

@Suite struct ImageTests {
    /// A directory of two entries: how the camera was held, and where more is; there, when and where.
    static func exif(orientation: Int, date: String, zone: String, bigEndian: Bool) -> [UInt8] {
        func number(_ value: Int, _ count: Int) -> [UInt8] {
            bigEndian ? MadeMedia.bigEndian(value, count) : MadeMedia.littleEndian(value, count)
        }
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            number(tag, 2) + number(type, 2) + number(count, 4) + value
        }
        var bytes = Array((bigEndian ? "MM\0*" : "II*\0").utf8) + number(8, 4)
        bytes +=
            number(2, 2) + entry(0x0112, 3, 1, number(orientation, 2) + [0, 0]) + entry(0x8769, 4, 1, number(38, 4))
        bytes += number(0, 4)
        bytes += number(2, 2) + entry(0x9003, 2, 20, number(68, 4)) + entry(0x9011, 2, 7, number(88, 4)) + number(0, 4)
        return bytes + Array(date.utf8) + [0] + Array(zone.utf8) + [0, 0]
    }

    @Test(arguments: [true, false]) func jpegTellsItsSizeAndHowAndWhenItWasTaken(bigEndian: Bool) {
        let exif = Self.exif(orientation: 6, date: "2024:05:17 18:30:00", zone: "+02:00", bigEndian: bigEndian)
        let (result, file) = MadeMedia.read(MadeMedia.jpeg(width: 4000, height: 3000, exif: exif), uri: "a.jpg")
        #expect(result == .complete)
        #expect(file.kind == .image)
        #expect(file.width == 4000)
        #expect(file.height == 3000)
        #expect(file.orientation == 6)
        // 2024-05-17 16:30:00 UTC.
        #expect(file.captured?.seconds == 1_715_963_400)
        #expect(file.captured?.description == "2024-05-17T18:30:00+02:00")
    }

    @Test func pngTellsItsSize() {
        let file = MadeMedia.read(MadeMedia.png, uri: "a.png").1
        #expect(file.width == 640)
        #expect(file.height == 480)
    }

    @Test(
        arguments: [
            (Array("VP8 ".utf8) + [10, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 0x40, 1, 0xf0, 0], 320, 240),
            (Array("VP8L".utf8) + [10, 0, 0, 0, 0x2f, 0x3f, 0xc1, 0x3b, 0, 0, 0, 0, 0, 0], 320, 240),
            (Array("VP8X".utf8) + [10, 0, 0, 0, 0, 0, 0, 0, 0x3f, 1, 0, 0xef, 0, 0], 320, 240),
        ] as [([UInt8], Int, Int)]
    )
    func webPTellsItsSize(chunk: [UInt8], width: Int, height: Int) {
        let bytes = Array("RIFF".utf8) + MadeMedia.littleEndian(chunk.count + 4) + Array("WEBP".utf8) + chunk
        let file = MadeMedia.read(bytes, uri: "a.webp").1
        #expect(file.width == width)
        #expect(file.height == height)
    }

    /// ISO 23008-12, section 6.5.10 and annex A: the item's own properties turn it, and EXIF's orientation does not.
    @Test func heicIsTurnedOnceAndTellsItsDate() throws {
        let exif = Self.exif(orientation: 3, date: "2024:05:17 18:30:00", zone: "+02:00", bigEndian: true)
        let picture = try #require(header(of: MadeMedia.heic(width: 4032, height: 3024, quarters: 3, exif: exif)))
        #expect(picture.format == "heic")
        #expect(picture.size == PixelSize(4032, 3024))
        #expect(picture.shownSize == PixelSize(3024, 4032))
        #expect(picture.orientation == .right)
        #expect(picture.captured?.description == "2024-05-17T18:30:00+02:00")
    }

    @Test func adobeRGBIsTheOneThatIsUncalibrated() {
        // The second directory has the colours, and where the third is, which has the rule.
        func entry(_ tag: Int, _ type: Int, _ count: Int, _ value: [UInt8]) -> [UInt8] {
            MadeMedia.bigEndian(tag, 2) + MadeMedia.bigEndian(type, 2) + MadeMedia.bigEndian(count, 4) + value
        }
        func number(_ value: Int) -> [UInt8] { MadeMedia.bigEndian(value, 4) }
        let end = number(0)
        for (colours, expected) in [([0, 1], ColourSpace.sRGB), ([0xff, 0xff], .adobeRGB)] as [([UInt8], ColourSpace)] {
            let exif =
                Array("MM\0*".utf8) + number(8) + [0, 1] + entry(0x8769, 4, 1, number(26)) + end
                + [0, 2] + entry(0xa001, 3, 1, colours + [0, 0]) + entry(0xa005, 4, 1, number(56)) + end
                + [0, 1] + entry(1, 2, 4, Array("R03\0".utf8)) + end
            #expect(header(of: MadeMedia.jpeg(width: 2, height: 1, channels: 3, exif: exif))?.colourSpace == expected)
        }
    }

    /// Whatever is changed in a picture, reading its header ends, and what it says is within bounds.
    @Test(arguments: 0..<16) func changedPicturesAreRead(seed: UInt64) {
        var random = SplitMix(state: seed)
        let exif = Self.exif(orientation: 6, date: "2024:05:17 18:30:00", zone: "+02:00", bigEndian: false)
        let samples = [
            MadeMedia.jpeg(width: 4000, height: 3000, exif: exif), MadeMedia.png,
            MadeMedia.heic(width: 4032, height: 3024, quarters: 1, exif: exif), exif,
        ]
        var reader = HeaderReader()
        var found = 0
        for sample in samples {
            for _ in 0..<500 {
                var bytes = sample
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    let place = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[place] = [0, 0xff, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
                }
                if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
                guard let picture = reader.picture(bytes) else { continue }
                found += 1
                #expect(picture.shownSize.pixelCount > 0)
                #expect((picture.colourSpace?.name.utf8.count ?? 0) <= 64)
            }
        }
        #expect(found > 100)
    }

    @Test func circlesInExifEnd() {
        // The details are the first directory again.
        var exif = Self.exif(orientation: 1, date: "2024:05:17 18:30:00", zone: "+02:00", bigEndian: true)
        exif.replaceSubrange(30..<34, with: [0, 0, 0, 8])
        #expect(MadeMedia.read(MadeMedia.jpeg(width: 2, height: 1, exif: exif), uri: "a.jpg").1.width == 2)
    }
}

private func header(of bytes: [UInt8]) -> PictureHeader? {
    var reader = HeaderReader()
    return reader.picture(bytes)
}
