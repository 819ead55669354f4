import CHEIF
import Files
import PictureDecoding
import PictureValues
import TestSupport
import TestThreads
import Testing

/// Pictures that are stored turned, mirrored or larger than what they show.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Fixtures.missing.isEmpty })
struct OrientationTests {
    /// A picture, and as a camera would store it: turned so that turning it as the number says makes it upright.
    private func pictures(_ number: Int, in folder: TemporaryFolder) throws -> (upright: Bitmap, stored: Bitmap) {
        let upright = try picture(try Fixtures.make("a.png", "400x240", in: folder), 4_000)
        let orientation = try #require(PictureOrientation(rawValue: number))
        let inverse = PictureOrientation.allCases.first { upright.turned($0).turned(orientation) == upright }
        return (upright, upright.turned(try #require(inverse)))
    }

    private func expectUpright(_ path: String, _ folder: TemporaryFolder) throws {
        let small = try picture(path, 200)
        #expect(small.size == PixelSize(200, 120))
        let expected = try picture(folder.file("a.png"), 200)
        let likeness = small.likeness(to: expected)
        #expect(likeness >= 0.96, "\(likeness)")
    }

    /// A TIFF header with one entry: the orientation.
    private func exif(_ number: Int) -> [UInt8] {
        Array("II*\0".utf8) + [8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(number), 0, 0, 0, 0, 0, 0, 0]
    }

    /// Rows 142 and 143: HEIC's and AVIF's boxes turn the picture; EXIF, which says something else here, does not turn it once more.
    @Test(arguments: ["heic", "avif"], 1...8)
    func boxesTurnHEIFAndEXIFDoesNot(kind: String, number: Int) throws {
        let folder = try TemporaryFolder()
        let stored = try pictures(number, in: folder).stored
        let format = kind == "heic" ? heif_compression_HEVC : heif_compression_AV1
        let path = folder.file("a.\(kind)")
        try HEIFFile.make(stored, format, orientation: number, exif: exif(number % 8 + 1), at: path)
        try expectUpright(path, folder)
    }

    @Test(arguments: 1...8)
    func exifTurnsWebP(number: Int) throws {
        let folder = try TemporaryFolder()
        let stored = try pictures(number, in: folder).stored
        let plain = folder.file("plain.webp")
        let file = try Descriptor(plain, .new(permissions: 0o600))
        try PictureEncoder.write(stored, as: .webP, quality: 95, to: file.number)
        let metadata = try folder.write("exif", exif(number))
        let path = folder.file("a.webp")
        try ChildProcess.run("webpmux", ["-set", "exif", metadata, plain, "-o", path])
        try expectUpright(path, folder)
    }

    /// Of a picture with a clean aperture only that is shown, which need not lie in the middle.
    @Test(arguments: ["heic", "avif"])
    func cleanAperturesAreCutOut(kind: String) throws {
        let folder = try TemporaryFolder()
        let upright = try pictures(1, in: folder).upright
        let format = kind == "heic" ? heif_compression_HEVC : heif_compression_AV1
        let whole = folder.file("whole.\(kind)")
        try HEIFFile.make(upright, format, orientation: 1, at: whole)
        let property = HEIFFile.cleanAperture(200, 100, right: 40, down: 0)
        let path = try folder.write("a.\(kind)", try HEIFFile.adding(property, to: FileBytes.read(whole)))
        let cut = folder.file("cut.png")
        try ChildProcess.run("ffmpeg", ["-v", "error", "-i", folder.file("a.png"), "-vf", "crop=200:100:140:70", cut])
        for side in [400, 150] {
            let (small, expected) = (try picture(path, side), try picture(cut, side))
            #expect(small.size == expected.size)
            let likeness = small.likeness(to: expected)
            #expect(likeness >= 0.96, "\(likeness)")
        }
    }

    /// Wider than any block that is averaged at once, and than WebP can be.
    @Test(arguments: ["png", "jpg", "bmp", "tiff"])
    func veryWidePicturesAreSharp(kind: String) throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.make("wide.\(kind)", "17000x400", in: folder, kind == "jpg" ? ["-q:v", "2"] : [])
        let small = try picture(path, 1_000)
        #expect(small.size == PixelSize(1_000, 24))
        let reference = folder.file("reference.png")
        let source = kind == "bmp" ? try Fixtures.make("same.png", "17000x400", in: folder) : path
        try ChildProcess.run("vipsthumbnail", [source, "--size", "1000", "-o", reference])
        let likeness = small.likeness(to: try picture(reference, 4_000))
        #expect(likeness >= 0.97, "\(likeness)")
    }
}
