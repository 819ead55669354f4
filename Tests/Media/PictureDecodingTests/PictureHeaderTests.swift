import Files
import Foundation
import MediaHeaders
import PictureDecoding
import PictureValues
import TestSupport
import TestThreads
import Testing

/// What headers say, compared with what decoders show.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Fixtures.missing.isEmpty })
struct PictureHeaderTests {
    private func header(_ path: String) throws -> PictureHeader {
        let file = try Descriptor(path, .reading)
        var reader = HeaderReader()
        let header = reader.picture(file.number, size: try file.status.size)
        return try #require(header, "\(path)")
    }

    @Test(
        arguments: [
            ("a.jpg", [], "jpeg", 8), ("a.png", [], "png", 8), ("deep.png", ["-pix_fmt", "rgb48be"], "png", 16),
            ("a.webp", [], "webp", 8), ("lossless.webp", ["-lossless", "1"], "webp", 8), ("a.gif", [], "gif", nil),
            ("a.bmp", [], "bmp", nil), ("a.tiff", [], "tiff", 8), ("a.jxl", [], "jpegxl", 8),
        ] as [(String, [String], String, Int?)]
    )
    func dimensionsAreThoseOfThePixels(name: String, options: [String], format: String, bits: Int?) throws {
        let folder = try TemporaryFolder()
        // No ratio that has a name, no multiple of eight.
        let path = try Fixtures.make(name, "317x203", in: folder, options)
        let header = try header(path)
        #expect(header.format == format)
        #expect(header.size == PixelSize(317, 203))
        #expect(header.shownSize == (try picture(path, 4_000).size))
        #expect(header.bitsPerSample == bits)
    }

    /// One picture, and one of tiles.
    @Test(arguments: ["heic", "avif"], ["317x203", "1200x900"])
    func dimensionsOfHEIFAreThoseOfThePixels(kind: String, size: String) throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", size, in: folder)
        let path = folder.file("a.\(kind)")
        try ChildProcess.run("heif-enc", (kind == "avif" ? ["-A"] : []) + [source, "-o", path])
        let header = try header(path)
        #expect(header.format == kind)
        #expect(header.shownSize == (try picture(path, 4_000).size))
        #expect(header.bitsPerSample == 8)
    }

    @Test(
        arguments: [
            ("p3.jpg", "p3", "Display P3"), ("srgb.jpg", "srgb", "sRGB"), ("p3.png", "p3", "Display P3"),
            ("srgb.png", "srgb", "sRGB"), ("p3.webp", "p3", "Display P3"), ("p3.tif", "p3", "Display P3"),
        ]
    )
    func coloursAreThoseOfTheProfile(name: String, profile: String, colours: String) throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", "320x240", in: folder)
        let path = folder.file(name)
        try ChildProcess.run("vipsthumbnail", [source, "--size", "320", "--export-profile", profile, "-o", path])
        #expect(try header(path).colourSpace?.name == colours)
    }

    @Test func coloursOfHEIFAreThoseOfTheProfile() throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", "320x240", in: folder)
        let (jpeg, path) = (folder.file("p3.jpg"), folder.file("p3.heic"))
        try ChildProcess.run("vipsthumbnail", [source, "--size", "320", "--export-profile", "p3", "-o", jpeg])
        try ChildProcess.run("heif-enc", [jpeg, "-o", path])
        #expect(try header(path).colourSpace == .displayP3)
    }

    @Test func highDynamicRangeIsSeen() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.make(
            "a.avif",
            "320x240",
            in: folder,
            [
                "-c:v", "libaom-av1", "-still-picture", "1", "-pix_fmt", "yuv420p10", "-color_primaries", "bt2020",
                "-color_trc", "smpte2084", "-colorspace", "bt2020nc",
            ]
        )
        let header = try header(path)
        #expect(header.colourSpace == .bt2020)
        #expect(header.hdr == .pq)
        #expect(header.bitsPerSample == 10)
    }
}
