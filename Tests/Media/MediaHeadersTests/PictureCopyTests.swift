import PictureValues
import TestSupport
import Testing
import TextEncodings

@testable import MediaHeaders

/// Copies of pictures for others, as they are stored: the same pixels, and none of what their files tell beside these.
@Suite(.enabled("ffmpeg is not installed") { MediaFixtures.missing.isEmpty })
struct PictureCopyTests {
    private static let missing = ChildProcess.missing("heif-enc", "heif-convert")
    /// Stands in everything that is to be hidden.
    private static let secret = "Qzx"
    private static let words = Array("the secret Qzx".utf8)

    /// EXIF with an orientation, and a text behind it.
    private static let exif =
        ImageTests.exif(orientation: 6, date: "2024:05:17 18:30:00", zone: "+02:00", bigEndian: false) + words

    private static func copy(_ bytes: [UInt8], pieces size: Int = .max) throws -> (bytes: [UInt8], type: String) {
        var window = ByteWindow()
        window.begin(bytes)
        let copy = try MediaCopy(&window)
        var result: [UInt8] = []
        while result.count < bytes.count {
            var piece = Array(bytes[result.count...].prefix(size))
            copy.apply(to: &piece, at: result.count)
            result += piece
        }
        return (result, copy.mimeType)
    }

    private static func has(_ text: String, _ bytes: [UInt8]) -> Bool {
        let wanted = Array(text.utf8)
        return bytes.indices.contains { bytes[$0...].starts(with: wanted) }
    }

    /// Sums of all decoded pictures.
    private static func pixels(_ path: String) async throws -> String {
        let words = [
            "-v", "error", "-xerror", "-err_detect", "+crccheck", "-noautorotate", "-i", path, "-f", "framemd5", "-",
        ]
        let result = try await ChildProcess("ffmpeg", words).wait()
        #expect(result.status == .code(0) && result.errorText.isEmpty, "\(result.errorText)")
        return result.outputText
    }

    /// A picture of FFmpeg's.
    private static func make(
        _ name: String,
        _ options: [String] = [],
        in folder: borrowing TemporaryFolder
    ) async throws
        -> [UInt8]
    {
        let path = folder.file(name)
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "testsrc=s=96x64:d=1:r=5"] + options + [path])
        return try FileBytes.read(path)
    }

    /// Checks a copy against its original.
    private static func check(
        _ original: [UInt8],
        _ name: String,
        _ type: String,
        in folder: borrowing TemporaryFolder
    )
        async throws
    {
        let copy = try Self.copy(original)
        // Behind the picture, where FFmpeg looks for another one.
        let longer = try Self.copy(original + words).bytes
        #expect(longer == copy.bytes + [UInt8](repeating: 0, count: words.count))
        #expect(copy.type == type && copy.bytes.count == original.count)
        #expect(!has(secret, copy.bytes) && !has("2024", copy.bytes))
        #expect(try Self.copy(original, pieces: 7).bytes == copy.bytes)
        let (before, after) = (
            try folder.write("before-\(name)", original), try folder.write("after-\(name)", copy.bytes)
        )
        #expect(try await pixels(after) == (try await pixels(before)))
        // A copy of a copy is the same.
        #expect(try Self.copy(copy.bytes).bytes == copy.bytes)
    }

    private static func orientation(_ bytes: [UInt8]) throws -> PictureOrientation? {
        var reader = HeaderReader()
        return reader.picture(try copy(bytes).bytes)?.orientation
    }

    // MARK: Formats

    @Test(arguments: [[], ["-huffman", "optimal"]] as [[String]]) func jpeg(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        let plain = try await Self.make("a.jpg", ["-frames:v", "1"] + options, in: folder)
        func segment(_ marker: UInt8, _ content: [UInt8]) -> [UInt8] {
            [0xff, marker] + MadeMedia.bigEndian(content.count + 2, 2) + content
        }
        var picture = Array(plain[..<2]) + segment(0xe1, Array("Exif\0\0".utf8) + Self.exif)
        picture += segment(0xe1, Array("http://ns.adobe.com/xap/1.0/\0".utf8) + Self.words) + segment(0xed, Self.words)
        picture += segment(0xe2, Array("MPF\0".utf8) + Self.words) + [0xff, 0xff] + segment(0xfe, Self.words)
        picture += plain[2...]
        try await Self.check(picture, "a.jpg", "image/jpeg", in: folder)
        #expect(try Self.orientation(picture) == .right)
        // The profile of colours stays.
        let profile = segment(0xe2, Array("ICC_PROFILE\0\u{1}\u{1}some colours".utf8))
        let coloured = Array(plain[..<2]) + profile + plain[2...]
        #expect(try Self.copy(coloured).bytes.starts(with: [0xff, 0xd8] + profile))
    }

    @Test func png() async throws {
        let folder = try TemporaryFolder()
        let plain = try await Self.make("a.png", ["-frames:v", "1"], in: folder)
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            let checked = Array(name.utf8) + content
            return MadeMedia.bigEndian(content.count, 4) + checked + PNGChecksum.of(checked, zeros: 0)
        }
        var picture = Array(plain[..<33]) + chunk("tEXt", Array("Comment\0".utf8) + Self.words)
        picture += chunk("eXIf", Self.exif) + chunk("prVt", Self.words) + chunk("tIME", [0x07, 0xe8, 5, 17, 18, 30, 0])
        picture += plain[33...]
        try await Self.check(picture, "a.png", "image/png", in: folder)
        let copy = try Self.copy(picture).bytes
        #expect(Self.has("eXIfMM\0*", copy) && !Self.has("tEXt", copy) && !Self.has("prVt", copy))
        #expect(try Self.orientation(picture) == .right)
        // Every chunk has its checksum.
        var place = 8
        while place < copy.count {
            let length = Int(bigEndian: copy[place..<place + 4])
            let (content, end) = (place + 4..<place + 8 + length, place + 12 + length)
            #expect(Array(copy[content.upperBound..<end]) == PNGChecksum.of(Array(copy[content]), zeros: 0))
            place = end
        }
        #expect(place == copy.count)
        #expect(PNGChecksum.of(Array("tEXtabc".utf8), zeros: 0) == [0xfc, 0x85, 0x9b, 0x88])
        // One that a program must know to show the picture.
        let critical = Array(plain[..<33]) + chunk("PRVT", Self.words) + plain[33...]
        #expect(throws: MediaCopyError.unknownFormat) { try Self.copy(critical) }
    }

    @Test func animatedPNG() async throws {
        let folder = try TemporaryFolder()
        let plain = try await Self.make("a.png", ["-plays", "0", "-f", "apng"], in: folder)
        try await Self.check(plain, "a.png", "image/png", in: folder)
    }

    @Test func webP() async throws {
        let folder = try TemporaryFolder()
        let plain = try await Self.make("a.webp", ["-frames:v", "1", "-c:v", "libwebp"], in: folder)
        func chunk(_ name: String, _ content: [UInt8]) -> [UInt8] {
            Array(name.utf8) + MadeMedia.littleEndian(content.count) + content + (content.count % 2 == 0 ? [] : [0])
        }
        // The picture's own chunk behind one that tells of EXIF and XMP.
        var chunks = chunk("VP8X", [0x0c, 0, 0, 0, 95, 0, 0, 63, 0, 0]) + plain[12...]
        chunks += chunk("EXIF", Self.exif) + chunk("XMP ", Self.words) + chunk("PRVT", Self.words)
        let picture =
            Array("RIFF".utf8) + MadeMedia.littleEndian(chunks.count + 4) + Array("WEBP".utf8) + chunks
        try await Self.check(picture, "a.webp", "image/webp", in: folder)
        #expect(try Self.orientation(picture) == .right)
    }

    @Test func gif() async throws {
        let folder = try TemporaryFolder()
        let plain = try await Self.make("a.gif", in: folder)
        func pieces(_ content: [UInt8]) -> [UInt8] {
            stride(from: 0, to: content.count, by: 255).flatMap { start -> [UInt8] in
                let piece = content[start..<min(content.count, start + 255)]
                return [UInt8(piece.count)] + piece
            } + [0]
        }
        for length in [1, 2, 230, 240, 254, 255, 256, 257, 258, 510, 511, 512, 513, 1_000] {
            let text = Self.words + [UInt8](repeating: 0x41, count: length)
            let data = Array("\u{b}XMP DataXMP".utf8) + pieces(text)
            // Before the end, where each program still looks.
            let picture = plain.dropLast() + [0x21, 0xfe] + pieces(text) + [0x21, 0xff] + data + [0x3b]
            try await Self.check(Array(picture), "a.gif", "image/gif", in: folder)
        }
        #expect(Self.has("NETSCAPE2.0", try Self.copy(plain).bytes))
    }

    @Test(.enabled("heif-enc is not installed") { missing.isEmpty }, arguments: ["heic", "avif"])
    func heif(_ type: String) async throws {
        let folder = try TemporaryFolder()
        let plain = try await Self.make("a.jpg", ["-frames:v", "1"], in: folder)
        let exif = Array("Exif\0\0".utf8) + Self.exif
        let tagged = plain[..<2] + [0xff, 0xe1] + MadeMedia.bigEndian(exif.count + 2, 2) + exif + plain[2...]
        let (source, target) = (try folder.write("b.jpg", Array(tagged)), folder.file("b.\(type)"))
        _ = try await ChildProcess("heif-enc", (type == "avif" ? ["-A"] : []) + [source, "-o", target]).wait()
        let picture =
            try FileBytes.read(target) + MadeMedia.box("free", Self.words) + MadeMedia.box("Qzx1", []) + [1, 2]
        #expect(Self.has(Self.secret, picture) && Self.has("2024", picture))
        let copy = try Self.copy(picture)
        #expect(copy.type == "image/\(type)" && copy.bytes.count == picture.count)
        #expect(!Self.has("secret", copy.bytes) && !Self.has("2024", copy.bytes) && copy.bytes.suffix(2) == [0, 0])
        #expect(try Self.copy(picture, pieces: 7).bytes == copy.bytes)
        var sums: [String] = []
        for (name, bytes) in [("before", picture), ("after", copy.bytes)] {
            let path = try folder.write("\(name).\(type)", bytes)
            let result = try await ChildProcess("heif-convert", [path, folder.file("\(name).png")]).wait()
            #expect(result.status == .code(0), "\(result.errorText)")
            sums.append(try await Self.pixels(folder.file("\(name).png")))
        }
        #expect(sums[0] == sums[1])
    }

    /// Of several pictures in a file, the one that is shown is given alone.
    @Test(.enabled("heif-enc is not installed") { missing.isEmpty }) func otherPicturesAreHidden() async throws {
        let folder = try TemporaryFolder()
        for (name, colour) in [("a", "testsrc"), ("b", "testsrc2")] {
            try await MediaFixtures.ffmpeg([
                "-f", "lavfi", "-i", "\(colour)=s=192x128", "-frames:v", "1", folder.file("\(name).jpg"),
            ])
        }
        func encode(_ names: String..., to target: String) async throws -> [UInt8] {
            _ = try await ChildProcess("heif-enc", names.map { folder.file($0) } + ["-o", folder.file(target)]).wait()
            return try FileBytes.read(folder.file(target))
        }
        let (one, two) = (
            try await encode("a.jpg", to: "one.heic"), try await encode("a.jpg", "b.jpg", to: "two.heic")
        )
        let copy = try Self.copy(two).bytes
        let hidden = zip(two, copy).count { $0 != $1 }
        #expect(hidden > (two.count - one.count) / 2)
        let path = try folder.write("copy.heic", copy)
        _ = try await ChildProcess("heif-convert", [folder.file("one.heic"), folder.file("one.png")]).wait()
        _ = try await ChildProcess("heif-convert", [path, folder.file("copy.png")]).wait()
        let (shown, wanted) = (folder.file("copy-1.png"), folder.file("one.png"))
        #expect(try await Self.pixels(shown) == (try await Self.pixels(wanted)))
        // A picture without data cannot be given.
        let made = MadeMedia.heic(width: 4, height: 3, quarters: 1, exif: Self.exif, xmp: Self.words)
        #expect(throws: MediaCopyError.isDamaged) { try Self.copy(made) }
    }

    // MARK: Damage

    /// Frames in frames, of which there are none, are not followed.
    @Test func deepFramesAreNotFollowed() throws {
        let count = 200_000
        var chunks: [UInt8] = []
        for level in 0..<count {
            chunks += Array("ANMF".utf8) + MadeMedia.littleEndian((count - level - 1) * 24 + 16)
            chunks += [UInt8](repeating: 0, count: 16)
        }
        let picture = Array("RIFF".utf8) + MadeMedia.littleEndian(chunks.count + 4) + Array("WEBP".utf8) + chunks
        #expect(try Self.copy(picture).bytes.count == picture.count)
    }

    /// Items with as many parts as can be said, which take no bytes in the list of places.
    @Test func itemsOfManyPartsAreLeftOut() {
        func whole(_ name: String, _ content: [UInt8]) -> [UInt8] { MadeMedia.box(name, [0, 0, 0, 0] + content) }
        var places: [UInt8] = []
        for number in 1...4_096 { places += MadeMedia.bigEndian(number, 2) + [0, 0, 0xff, 0xff] }
        let item = MadeMedia.box("infe", [2, 0, 0, 0, 0, 1, 0, 0] + Array("hvc1\0".utf8))
        let lists = whole("pitm", [0, 1]) + whole("iinf", [0, 1] + item)
        let meta = whole("meta", lists + whole("iloc", [0, 0, 0x10, 0] + places))
        let picture = MadeMedia.box("ftyp", Array("heic".utf8) + [0, 0, 0, 0] + Array("mif1heic".utf8)) + meta
        #expect(throws: MediaCopyError.isDamaged) { try Self.copy(picture) }
    }

    /// Whatever is changed in a file, looking through it ends, and a copy has its length.
    @Test(arguments: 0..<8) func changedPicturesAreCopiedOrRefused(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        var random = SplitMix(state: seed)
        var samples = [[UInt8]]()
        for (name, options) in [
            ("a.jpg", ["-frames:v", "1"]), ("a.png", ["-frames:v", "1"]), ("a.webp", ["-frames:v", "1"]), ("a.gif", []),
        ] {
            samples.append(try await Self.make(name, options, in: folder))
        }
        if Self.missing.isEmpty {
            let target = folder.file("a.heic")
            _ = try await ChildProcess("heif-enc", [folder.file("a.jpg"), "-o", target]).wait()
            samples.append(try FileBytes.read(target))
        }
        var (copied, refused) = (0, 0)
        for sample in samples {
            for _ in 0..<200 {
                var bytes = sample
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    // Mostly in the headers.
                    let end = Bool.random(using: &random) ? min(400, bytes.count) : bytes.count
                    let place = Int.random(in: 0..<end, using: &random)
                    bytes[place] = [0, 0xff, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
                }
                if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count, using: &random)) }
                do {
                    #expect(try Self.copy(bytes).bytes.count == bytes.count)
                    copied += 1
                } catch is MediaCopyError {
                    refused += 1
                }
            }
        }
        #expect(copied > 50 && refused > 50)
    }
}
