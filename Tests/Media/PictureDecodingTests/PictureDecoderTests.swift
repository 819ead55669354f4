import Files
import Foundation
import PictureDecoding
import PictureValues
import TestSupport
import TestThreads
import Testing

/// Row 141: decoding small, compared with vipsthumbnail's results; `segue-bench` measures what it takes.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Fixtures.missing.isEmpty })
struct PictureDecoderTests {
    private func reference(_ path: String, in folder: TemporaryFolder, side: Int = 320) throws -> Bitmap {
        let result = folder.file("reference-\(UInt32.random(in: 0 ... .max)).png")
        try ChildProcess.run("vipsthumbnail", [path, "--size", "\(side)", "--export-profile", "srgb", "-o", result])
        return try picture(result, 4_000)
    }

    @Test(
        arguments: [
            ("a.jpg", ["-q:v", "2"]), ("grey.jpg", ["-q:v", "2", "-pix_fmt", "gray"]), ("a.png", []),
            ("deep.png", ["-pix_fmt", "rgb48be"]), ("palette.png", ["-pix_fmt", "pal8"]),
            ("grey.png", ["-pix_fmt", "gray"]),
            ("a.bmp", []), ("a.tiff", []), ("a.webp", ["-quality", "95"]), ("lossless.webp", ["-lossless", "1"]),
        ] as [(String, [String])]
    )
    func formatsAreSharpAndRight(name: String, options: [String]) throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.make(name, in: folder, options)
        let small = try picture(path)
        #expect(small.size == PixelSize(320, 240))
        let png = name.hasSuffix("bmp") ? try Fixtures.make("same.png", in: folder) : path
        let likeness = small.likeness(to: try reference(png, in: folder))
        #expect(likeness >= 0.98, "\(likeness)")
    }

    @Test(arguments: ["heic", "avif"])
    func heifIsRight(kind: String) throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", in: folder)
        let path = folder.file("a.\(kind)")
        try ChildProcess.run("heif-enc", (kind == "avif" ? ["-A"] : []) + ["-q", "95", source, "-o", path])
        let likeness = try picture(path).likeness(to: try reference(source, in: folder))
        #expect(likeness >= 0.97, "\(likeness)")
    }

    /// Rings that become finer until they cannot be seen: what is too fine is even, and makes no rings of its own.
    @Test(arguments: ["png", "jpg[Q=95]", "tif"], [500, 700, 1_100])
    func finePatternsMakeNoOthers(kind: String, side: Int) throws {
        let folder = try TemporaryFolder()
        let (zone, scaled, path) = (folder.file("zone.v"), folder.file("scaled.v"), folder.file("zone.\(kind)"))
        try ChildProcess.run("vips", ["zone", zone, "2000", "2000"])
        try ChildProcess.run("vips", ["linear", zone, scaled, "127.5", "127.5", "--uchar"])
        try ChildProcess.run("vips", ["copy", scaled, path])
        let file = String(path.prefix { $0 != "[" })
        let likeness = try picture(file, side).likeness(to: try reference(file, in: folder, side: side))
        // Averages alone give 0.66 to 0.75.
        #expect(likeness >= 0.97, "\(likeness)")
    }

    /// Thin, tiny and deep ones, whose rows are shorter than a filter or longer than libswscale's longest.
    @Test(arguments: ["1x3000", "3000x1", "9000x9", "9x5000", "70x70", "17x16", "5x4"])
    func oddShapesAreMadeSmall(size: String) throws {
        let folder = try TemporaryFolder()
        for (name, options) in [("a.png", []), ("deep.png", ["-pix_fmt", "rgba64be"]), ("a.tif", [])] {
            let path = try Fixtures.make(name, size, in: folder, options)
            for side in [1, 2, 15, 33, 64, 300] {
                let whole = try #require(PixelSize(parsing: size))
                #expect(try picture(path, side).size == whole.fitted(within: side), "\(name) at \(side)")
            }
        }
    }

    /// Printers' and cameras' kinds of TIFF: compressed as JPEG, in strips and tiles, of inks, of 16 bits, of two colours.
    @Test(
        arguments: [
            "[compression=jpeg,Q=95]", "[compression=jpeg,Q=95,tile]", "[compression=lzw]",
            "[compression=deflate,tile]",
            "[compression=zstd,predictor=horizontal]", "[tile,tile-width=64,tile-height=64]",
        ]
    )
    func tiffIsRight(options: String) throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", in: folder)
        let path = folder.file("a.tif")
        try ChildProcess.run("vips", ["copy", source, path + options])
        let expected = try reference(source, in: folder)
        let small = try picture(path)
        #expect(small.size == expected.size && !small.hasAlpha)
        #expect(small.likeness(to: expected) >= 0.97)
        // A picture of inks has the profile that says which.
        let inks = folder.file("inks.tif")
        try ChildProcess.run("vips", ["icc_transform", source, inks + options, "cmyk"])
        let printed = try picture(inks)
        #expect(printed.likeness(to: try reference(inks, in: folder)) >= 0.96)
        // As it is without what libtiff converts.
        #expect(printed.likeness(to: expected) >= 0.8)
    }

    @Test func deepAndFloatingPointTIFF() throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", in: folder)
        let deep = try Fixtures.make("deep.tif", in: folder, ["-pix_fmt", "rgb48le"])
        #expect(try picture(deep).likeness(to: try reference(source, in: folder)) >= 0.98)
        let real = folder.file("real.tif")
        try ChildProcess.run("vips", ["cast", source, real, "double"])
        #expect(throws: PictureError.unsupported("this kind of TIFF")) { try picture(real) }
        let whole = try FileBytes.read(deep)
        let cut = try folder.write("cut.tif", Array(whole.prefix(whole.count / 2)))
        #expect(throws: PictureError.self) { try picture(cut) }
    }

    @Test(arguments: ["gif", "jxl"])
    func whatOnlyFFmpegReads(kind: String) throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", in: folder)
        let path = folder.file("a.\(kind)")
        try ChildProcess.run("ffmpeg", ["-v", "error", "-i", source, path])
        let likeness = try picture(path).likeness(to: try reference(source, in: folder))
        #expect(likeness >= 0.95, "\(likeness)")
    }

    /// An episode without a cover, whose chapters have pictures.
    @Test func chaptersHavePictures() throws {
        let folder = try TemporaryFolder()
        let cover = try FileBytes.read(Fixtures.make("a.png", "64x48", in: folder))
        let apic = MadeMedia.frame("APIC", [0] + Array("image/png\0".utf8) + [3, 0] + cover)
        let chapter = MadeMedia.frame("CHAP", Array("a\0".utf8) + [UInt8](repeating: 0, count: 16) + apic)
        let path = try folder.write("a.mp3", MadeMedia.id3(version: 4, chapter) + MadeMedia.mp3(frames: 40))
        #expect(try picture(path).size == PixelSize(64, 48))
        let file = try Descriptor(path, .reading)
        var request = PictureDecoder.Request(side: 64)
        request.isOfCover = true
        #expect(throws: PictureError.noVideo) { try PictureDecoder.picture(of: file.number, request) }
        let bare = try folder.write("b.mp3", MadeMedia.mp3(frames: 40))
        #expect(throws: PictureError.noVideo) { try picture(bare) }
    }

    @Test func theFirstOfMovingPicturesIsTaken() throws {
        let folder = try TemporaryFolder()
        let path = folder.file("moving.webp")
        try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=5", "-t", "1", "-c:v", "libwebp_anim",
                path,
            ]
        )
        let first = folder.file("first.png")
        try ChildProcess.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=5", "-frames:v", "1", first]
        )
        #expect(try picture(path).likeness(to: try picture(first)) >= 0.9)
    }

    @Test func alphaIsKept() throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.make(
            "alpha.png",
            in: folder,
            ["-vf", "format=rgba,geq=r='r(X,Y)':g='g(X,Y)':b='b(X,Y)':a='255*X/W'"]
        )
        let small = try picture(path)
        #expect(small.hasAlpha)
        let (left, right) = (small.pixels[3], small.pixels[small.size.width * 4 - 1])
        #expect(left < 5 && right > 250)
    }

    @Test(arguments: 1...8)
    func orientationsAreUpright(number: Int) throws {
        let folder = try TemporaryFolder()
        let upright = try picture(try Fixtures.make("a.png", "400x240", in: folder), 4_000)
        let orientation = try #require(PictureOrientation(rawValue: number))
        // Stored as a camera would hold it: turned so that turning it as the number says makes it upright.
        let inverse = PictureOrientation.allCases.first { upright.turned($0).turned(orientation) == upright }
        let stored = upright.turned(try #require(inverse))
        let plain = folder.file("plain.jpg")
        let file = try Descriptor(plain, .new(permissions: 0o600))
        try PictureEncoder.write(stored, as: .jpeg, quality: 95, to: file.number)
        let path = try folder.write("turned.jpg", withOrientation(try FileBytes.read(plain), number))
        let small = try picture(path, 200)
        #expect(small.size == PixelSize(200, 120))
        let expected = try picture(try Fixtures.make("b.png", "400x240", in: folder), 200)
        #expect(small.likeness(to: expected) >= 0.97)
    }

    /// TIFF has its orientation in a tag of its own: a red left half is above when it is turned to the right.
    @Test func orientationOfTIFF() throws {
        let folder = try TemporaryFolder()
        func bytes(_ value: Int, _ count: Int) -> [UInt8] { (0..<count).map { UInt8(value >> (8 * $0) & 255) } }
        let (width, height) = (16, 8)
        // Tag, type (3: 16 bits, 4: 32 bits), count, value.
        let tags = [
            (256, 3, 1, width), (257, 3, 1, height), (258, 3, 3, 200), (259, 3, 1, 1), (262, 3, 1, 2), (273, 4, 1, 256),
            (274, 3, 1, 6), (277, 3, 1, 3), (278, 3, 1, height), (279, 4, 1, width * height * 3),
        ]
        var file: [UInt8] = [0x49, 0x49, 42, 0] + bytes(8, 4) + bytes(tags.count, 2)
        for (tag, type, count, value) in tags {
            file += bytes(tag, 2) + bytes(type, 2) + bytes(count, 4) + bytes(value, 4)
        }
        file += [UInt8](repeating: 0, count: 200 - file.count) + [8, 0, 8, 0, 8, 0]
        file += [UInt8](repeating: 0, count: 256 - file.count)
        for _ in 0..<height { for column in 0..<width { file += column < width / 2 ? [255, 0, 0] : [0, 0, 255] } }
        let small = try picture(try folder.write("a.tif", file))
        #expect(small.size == PixelSize(height, width))
        #expect(Array(small.pixels.prefix(3)) == [255, 0, 0] && Array(small.pixels.suffix(3)) == [0, 0, 255])
    }

    /// A picture in Display P3 has the colours in sRGB that vips gives it, which are not its numbers.
    @Test(arguments: ["png", "jpg", "webp"])
    func embeddedProfilesAreHonoured(kind: String) throws {
        let folder = try TemporaryFolder()
        let source = try Fixtures.make("a.png", "320x240", in: folder, ["-vf", "hue=s=0.5"])
        let (path, reference) = (folder.file("p3.\(kind)"), folder.file("reference.png"))
        let options = kind == "png" ? "" : "[Q=95]"
        try ChildProcess.run(
            "vipsthumbnail",
            [source, "--size", "320", "--export-profile", "p3", "-o", path + options]
        )
        try ChildProcess.run("vipsthumbnail", [path, "--size", "320", "--export-profile", "srgb", "-o", reference])
        let ours = try picture(path)
        #expect(try difference(ours, picture(reference)) < 1.5)
        #expect(try difference(ours, picture(source)) > 5)
    }

    /// The mean difference of samples.
    private func difference(_ one: Bitmap, _ other: Bitmap) -> Double {
        let (first, second) = (one.flattened().pixels, other.flattened().pixels)
        let sum = zip(first, second).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
        return Double(sum) / Double(first.count)
    }

    @Test func nothingIsEnlarged() throws {
        let folder = try TemporaryFolder()
        #expect(try picture(try Fixtures.make("a.png", "64x48", in: folder), 320).size == PixelSize(64, 48))
    }

    // MARK: Films

    private func film(
        _ folder: TemporaryFolder,
        _ name: String,
        _ source: String,
        _ options: [String] = []
    ) throws -> String {
        let path = folder.file(name)
        try ChildProcess.run("ffmpeg", ["-v", "error", "-f", "lavfi", "-i", source] + options + [path])
        return path
    }

    /// A film that begins black: its picture shows something.
    @Test func postersShowSomething() throws {
        let folder = try TemporaryFolder()
        let path = try film(
            folder,
            "a.mp4",
            "testsrc2=size=640x360:rate=25,fade=in:st=4:d=0.1:color=black,trim=end=10",
            ["-c:v", "libx264", "-g", "25", "-preset", "ultrafast"]
        )
        let poster = try picture(path)
        #expect(poster.size == PixelSize(320, 180))
        #expect(poster.luma.deviation > 30)
        #expect(try picture(path, moment: .seconds(1), isExact: true).luma.deviation < 5)
    }

    /// Each frame of a film is of its own brightness, so it can be told which one came.
    @Test(arguments: [0.0, 0.5, 1.0, 2.24, 3.96])
    func exactFramesAreExact(seconds: Double) throws {
        let folder = try TemporaryFolder()
        let path = try film(
            folder,
            "a.mkv",
            "color=black:size=64x48:rate=25,format=gray,geq=lum='2*N',trim=end=4",
            ["-c:v", "ffv1", "-g", "20"]
        )
        let frame = Double(Int((seconds * 25).rounded(.down)))
        let found = try picture(path, moment: .seconds(seconds), isExact: true).luma.mean
        #expect(abs(found - 2 * frame) < 3, "\(found) for frame \(frame)")
    }

    @Test func rotationAndPixelShapesAreHeeded() throws {
        let folder = try TemporaryFolder()
        let wide = try film(
            folder,
            "wide.mpg",
            "testsrc2=size=720x576:rate=25,setsar=64/45,trim=end=2",
            ["-c:v", "mpeg2video"]
        )
        #expect(try picture(wide).size == PixelSize(320, 180))
        let path = try film(
            folder,
            "a.mp4",
            "testsrc2=size=640x360,trim=end=2",
            ["-c:v", "libx264", "-preset", "ultrafast"]
        )
        let turned = folder.file("turned.mp4")
        try ChildProcess.run("ffmpeg", ["-v", "error", "-i", path, "-c", "copy", "-metadata:s:v", "rotate=90", turned])
        let (upright, rotated) = (try picture(path), try picture(turned))
        #expect(rotated.size == PixelSize(180, 320))
        // Counter-clockwise, as ffmpeg shows it.
        #expect(rotated.likeness(to: upright.turned(.left)) > 0.97)
    }

    @Test(arguments: ["mp3", "m4a", "flac"])
    func coversOfSongs(kind: String) throws {
        let folder = try TemporaryFolder()
        let cover = try Fixtures.make("cover.jpg", "600x600", in: folder)
        let song = folder.file("song.\(kind)")
        try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "sine=duration=1", "-i", cover, "-map", "0", "-map", "1", "-c:v",
                "copy",
                "-disposition:v", "attached_pic", song,
            ]
        )
        #expect(try picture(song) == picture(cover))
        let plain = try film(folder, "plain.\(kind)", "sine=duration=1")
        #expect(throws: PictureError.noVideo) { try picture(plain) }
    }

    /// The middle of a wide, a high, and a small picture fills a square.
    @Test(arguments: ["1200x300", "200x1000", "30x40", "2000x2000", "3000x100"])
    func squaresAreFilled(size: String) throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.make("a.png", size, in: folder)
        let file = try Descriptor(path, .reading)
        let square = try PictureDecoder.square(of: file.number, PictureDecoder.Request(side: 150))
        #expect(square.size == PixelSize(150, 150) && square.channels == 3)
        try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-vf", "crop='min(iw,ih)':'min(iw,ih)',scale=150:150:flags=lanczos",
                folder.file("theirs.png"),
            ]
        )
        let likeness = square.likeness(to: try picture(folder.file("theirs.png"), 150))
        #expect(likeness > 0.9, "\(likeness)")
    }

    @Test func aMosaicHasFourParts() throws {
        let folder = try TemporaryFolder()
        let files = try ["red", "lime", "blue", "white"].map { colour in
            let path = folder.file(colour + ".png")
            let input = ["-v", "error", "-f", "lavfi", "-i", "color=\(colour):size=10x10,format=rgb24"]
            try ChildProcess.run("ffmpeg", input + ["-frames:v", "1", path])
            return unsafe open(path, O_RDONLY | O_CLOEXEC)
        }
        defer { for file in files { close(file) } }
        let mosaic = try PictureDecoder.mosaic(of: files)
        #expect(mosaic.size == PixelSize(20, 20))
        let corners = [(0, 0), (19, 0), (0, 19), (19, 19), (9, 9), (10, 10)].map { x, y in
            Array(mosaic.pixels[(y * 20 + x) * 3..<(y * 20 + x) * 3 + 3])
        }
        let (red, green, blue, white): ([UInt8], [UInt8], [UInt8], [UInt8]) = (
            [254, 0, 0], [0, 255, 1], [0, 0, 254], [255, 255, 255]
        )
        let wanted = [red, green, blue, white, red, white]
        for (corner, colour) in zip(corners, wanted) {
            #expect(zip(corner, colour).allSatisfy { abs(Int($0) - Int($1)) < 4 }, "\(corner) \(colour)")
        }
        #expect(throws: PictureError.self) { try PictureDecoder.mosaic(of: Array(files.prefix(3))) }
    }
}
