import Glibc
import MediaHeaders
import TestSupport
import Testing

/// Copies of videos for others: the same pictures and sound, and none of what their files tell beside these.
@Suite(.enabled("ffmpeg is not installed") { MediaFixtures.missing.isEmpty })
struct VideoCopyTests {
    /// Stands in everything that is to be hidden.
    private static let secret = "Qzx"
    private static let place = "+48.1374+011.5755/"

    /// A video of FFmpeg's with a place, a title, other tags and subtitles.
    private static func make(
        _ name: String,
        _ options: [String],
        input: [String] = [],
        in folder: borrowing TemporaryFolder
    ) async throws -> String {
        let words = try folder.write("words.srt", Array("1\n00:00:00,000 --> 00:00:01,000\n\(secret)\n\n".utf8))
        let path = folder.file(name)
        let media = ["-f", "lavfi", "-i", "testsrc=s=96x64:d=1:r=25", "-f", "lavfi", "-i", "sine=d=1:r=8000"]
        let tags = ["location=\(place)", "title=\(secret)", "comment=\(secret)", "artist=\(secret)", "date=2024-05-06"]
            .flatMap { ["-metadata", $0] }
        let times = ["-metadata", "creation_time=2024-05-06T07:08:09Z", "-metadata:s", "handler_name=\(secret)"]
        try await MediaFixtures.ffmpeg(media + ["-i", words] + input + tags + times + options + [path])
        return path
    }

    /// - Parameter size: Of the pieces that are read.
    private static func copy(_ path: String, pieces size: Int = .max) throws -> (bytes: [UInt8], type: String) {
        let bytes = try FileBytes.read(path)
        let copy = try copy(of: path)
        var result: [UInt8] = []
        while result.count < bytes.count {
            var piece = Array(bytes[result.count...].prefix(size))
            copy.apply(to: &piece, at: result.count)
            result += piece
        }
        return (result, copy.mimeType)
    }

    private static func copy(of path: String) throws(MediaCopyError) -> MediaCopy {
        let descriptor = unsafe open(path, O_RDONLY)
        defer { close(descriptor) }
        return try MediaCopy(of: descriptor, size: Int(lseek(descriptor, 0, SEEK_END)))
    }

    private static func refusal(_ path: String) -> MediaCopyError? {
        do throws(MediaCopyError) {
            _ = try copy(of: path)
            return nil
        } catch {
            return error
        }
    }

    /// Sums of all decoded pictures and sound.
    private static func content(_ path: String) throws -> String {
        let words = ["-v", "error", "-i", path, "-map", "0:v", "-map", "0:a", "-f", "framemd5", "-"]
        let result = try ChildProcess.run("ffmpeg", words)
        #expect(result.errorText == "")
        return result.outputText
    }

    private static func facts(_ path: String) throws -> String {
        try ChildProcess.run("ffprobe", ["-v", "error", "-show_format", "-show_streams", "-show_chapters", path])
            .outputText
    }

    private static let x264 = ["-c:v", "libx264", "-bf", "2", "-g", "10", "-pix_fmt", "yuv420p"]
    private static let all = ["-map", "0", "-map", "1", "-map", "2"]
    private static let movies: [[String]] = [
        ["a.mp4", "video/mp4", "-c:a", "aac", "-c:s", "mov_text"],
        ["b.mp4", "video/mp4", "-c:a", "aac", "-c:s", "mov_text", "-movflags", "faststart"],
        ["c.mov", "video/quicktime", "-c:a", "pcm_s16le", "-c:s", "mov_text", "-timecode", "01:02:03:04"],
        ["d.mov", "video/quicktime", "-c:a", "pcm_s24be", "-c:s", "mov_text", "-movflags", "use_metadata_tags"],
        ["e.mov", "video/quicktime", "-c:a", "adpcm_ima_qt", "-c:s", "mov_text"],
        ["f.mov", "video/quicktime", "-c:a", "pcm_mulaw", "-c:s", "mov_text"],
        ["g.mov", "video/quicktime", "-c:a", "pcm_f64be", "-c:s", "mov_text"],
        ["i.mov", "video/quicktime", "-c:a", "aac", "-c:s", "mov_text", "-movflags", "rtphint"],
        ["h.m4v", "video/mp4", "-c:a", "ac3", "-c:s", "mov_text", "-brand", "mp42"],
    ]

    @Test("A movie's copy has its pictures and its sound, and nothing else", arguments: movies)
    func aMovie(_ words: [String]) async throws {
        let folder = try TemporaryFolder()
        let path = try await Self.make(words[0], Self.all + Self.x264 + words[2...], in: folder)
        let original = try FileBytes.read(path)
        #expect(Self.has(Self.secret, original))
        let copy = try Self.copy(path)
        #expect(copy.type == words[1] && copy.bytes.count == original.count)
        #expect(!Self.has(Self.secret, copy.bytes) && !Self.has("+48.1", copy.bytes))
        #expect(try Self.copy(path, pieces: 97).bytes == copy.bytes)
        let bare = try folder.write("bare-" + words[0], copy.bytes)
        #expect(try Self.content(bare) == Self.content(path))
        let facts = try Self.facts(bare)
        #expect(
            facts.contains("nb_streams=2") && !facts.contains("TAG:location") && !facts.contains("2024"),
            "\(facts)"
        )
        #expect(try Self.facts(path).contains("location="))
    }

    @Test(
        "A Matroska file's copy has no tags, attachments, chapters or names",
        arguments: [
            ["a.mkv", "video/x-matroska"], ["b.mkv", "video/x-matroska", "-live", "1"], ["c.webm", "video/webm"],
        ]
    )
    func aMatroskaFile(_ words: [String]) async throws {
        let folder = try TemporaryFolder()
        let chapter = ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=\(Self.secret)\n"
        let chapters = ["-i", try folder.write("chapters", Array(chapter.utf8)), "-map_chapters", "3"]
        let isWebM = words[0].hasSuffix("webm")
        let attached = ["-attach", try folder.write("note", Array(Self.secret.utf8))]
        let codecs =
            isWebM
            ? ["-c:v", "libvpx", "-c:a", "libvorbis"]
            : Self.x264 + ["-c:a", "aac"] + attached + ["-metadata:s:t", "mimetype=text/plain"]
        let options = ["-map", "0", "-map", "1", "-metadata:s:v", "title=\(Self.secret)"] + codecs + words[2...]
        let path = try await Self.make(words[0], options, input: chapters, in: folder)
        #expect(Self.has(Self.secret, try FileBytes.read(path)))
        let copy = try Self.copy(path)
        #expect(copy.type == words[1])
        #expect(!Self.has(Self.secret, copy.bytes) && !Self.has("+48.1", copy.bytes) && !Self.has("Lavf", copy.bytes))
        #expect(try Self.copy(path, pieces: 61).bytes == copy.bytes)
        let bare = try folder.write("bare-" + words[0], copy.bytes)
        #expect(try Self.content(bare) == Self.content(path))
        let facts = try Self.facts(bare)
        #expect(facts.contains("nb_streams=2") && !facts.contains("CHAPTER]") && !facts.contains("2024"), "\(facts)")
    }

    /// Unknown boxes before and behind the index, and bytes at the end of the file that are no box.
    @Test func bytesThatBelongToNothingAreHidden() async throws {
        let folder = try TemporaryFolder()
        let path = try await Self.make("a.mp4", Self.all + Self.x264 + ["-c:a", "aac", "-c:s", "mov_text"], in: folder)
        var bytes = try FileBytes.read(path)
        let movie = try #require(Self.places(of: "moov", bytes).last) - 4
        // Between the samples and the movie, and behind it.
        let hidden = Array(Self.secret.utf8)
        func box(_ name: String) -> [UInt8] {
            MadeMedia.bigEndian(hidden.count + 8, 4) + Array(name.utf8) + hidden
        }
        bytes.insert(contentsOf: box("free") + box("uuid"), at: movie)
        bytes += box("meta") + hidden
        let copy = try Self.copy(try folder.write("b.mp4", bytes)).bytes
        #expect(!Self.has(Self.secret, copy))
        // The whole length is boxes, the last of which is free.
        #expect(try Self.content(try folder.write("c.mp4", copy)) == Self.content(path))
        #expect(copy.count == bytes.count)
    }

    @Test func filesThatCannotBeToldApartAreRefused() async throws {
        let folder = try TemporaryFolder()
        let video = ["-map", "0", "-map", "1"] + Self.x264
        let fragments = ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]
        #expect(Self.refusal(try await Self.make("a.mp4", video + fragments, in: folder)) == .isFragmented)
        #expect(Self.refusal(try await Self.make("a.avi", video + ["-c:a", "mp3"], in: folder)) == .unknownFormat)
        #expect(Self.refusal(try await Self.make("a.ts", video + ["-c:a", "aac"], in: folder)) == .unknownFormat)
        let movie = try FileBytes.read(try await Self.make("b.mp4", video + ["-c:a", "aac"], in: folder))
        #expect(Self.refusal(try folder.write("cut.mp4", Array(movie.prefix(movie.count / 2)))) == .isDamaged)
        #expect(Self.refusal(try folder.write("empty.mp4", [])) == .unknownFormat)
        // The samples are said to be in another file.
        var elsewhere = movie
        for place in Self.places(of: "url ", movie) { elsewhere[place + 7] = 0 }
        #expect(Self.refusal(try folder.write("elsewhere.mp4", elsewhere)) == .needsOtherFiles)
        // Sizes and counts that are not there.
        for name in ["stsz", "stsc", "stco"] {
            var wrong = movie
            for place in Self.places(of: name, movie) { wrong[place + (name == "stsz" ? 12 : 8)] = 0xff }
            #expect(Self.refusal(try folder.write("\(name).mp4", wrong)) == .isDamaged)
        }
    }

    /// Whatever stands in a file, reading ends, and pieces are those of the whole.
    @Test(arguments: ["a.mp4", "a.mov", "a.mkv"]) func damagedFiles(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let sound = name == "a.mov" ? "adpcm_ima_qt" : "aac"
        let path = try await Self.make(
            name,
            ["-map", "0", "-map", "1", "-t", "0.2"] + Self.x264 + ["-c:a", sound],
            in: folder
        )
        let bytes = try FileBytes.read(path)
        var generator = SplitMix(state: 7)
        var copies = 0
        for _ in 0..<400 {
            var damaged = bytes
            for _ in 0..<Int.random(in: 1...4, using: &generator) {
                // Most are not in the samples, which are not looked at.
                let near = Self.places(of: Bool.random(using: &generator) ? "st" : "tr", bytes).randomElement(
                    using: &generator
                )
                let place =
                    near.map { $0 + Int.random(in: -4...40, using: &generator) }
                    ?? .random(in: 0..<4_096, using: &generator)
                let values: [UInt8] = [0, 1, 0x7f, 0x80, 0xff, .random(in: 0...255, using: &generator)]
                if damaged.indices.contains(place) { damaged[place] = values.randomElement(using: &generator) ?? 0 }
            }
            let other = try folder.write("damaged", damaged)
            guard Self.refusal(other) == nil else { continue }
            copies += 1
            let whole = try Self.copy(other).bytes
            let pieces = try Self.copy(other, pieces: 1_021).bytes
            #expect(whole == pieces)
        }
        #expect(copies > 20 && copies < 400)
    }

    /// A movie with a sample in every eighth byte.
    ///
    /// - Parameter short: A box of which only some bytes are there.
    private static func scattered(_ count: Int, short: (name: String, length: Int)? = nil) -> [UInt8] {
        func box(_ name: String, _ content: [UInt8], place: String? = nil) -> [UInt8] {
            let content = place ?? name == short?.name ? Array(content.prefix(short?.length ?? 0)) : content
            return MadeMedia.bigEndian(content.count + 8, 4) + Array(name.utf8) + content
        }
        func numbers(_ numbers: Int...) -> [UInt8] { numbers.flatMap { MadeMedia.bigEndian($0, 4) } }
        let data = box("mdat", [UInt8](repeating: 0x51, count: 8 * count))
        let offsets = (0..<count).flatMap { MadeMedia.bigEndian(8 + 8 * $0, 4) }
        let table =
            box("stsd", numbers(0, 0)) + box("stsc", numbers(0, 1, 1, 1, 1)) + box("stsz", numbers(0, 1, count))
            + box("stco", numbers(0, count) + offsets)
        let handler = box("hdlr", numbers(0, 0) + Array("vide".utf8))
        let references = box("dinf", box("dref", numbers(0, 1) + box("url ", numbers(1))))
        let times = box("stts", numbers(0, 1, count, 1))
        let info = box(
            "minf",
            box("hdlr", numbers(0, 0, 0), place: "minf hdlr") + references + box("stbl", table + times)
        )
        let media = box("mdhd", numbers(0, 0, 0)) + handler + info
        return data
            + box(
                "moov",
                box("mvhd", numbers(0, 0, 0)) + box("trak", box("tkhd", numbers(0, 0, 0)) + box("mdia", media))
            )
    }

    /// Boxes that end before the things that belong into them.
    @Test(arguments: [
        "moov", "mvhd", "trak", "tkhd", "mdia", "mdhd", "hdlr", "minf hdlr", "minf", "dinf", "dref", "url ", "stbl",
        "stsd", "stts",
        "stsc", "stsz", "stco",
    ])
    func shortBoxes(_ name: String) throws {
        let folder = try TemporaryFolder()
        #expect(Self.refusal(try folder.write("whole.mov", Self.scattered(3))) == nil)
        for length in 0..<20 {
            let path = try folder.write("short.mov", Self.scattered(3, short: (name, length)))
            if Self.refusal(path) == nil { #expect(try Self.copy(path, pieces: 7).bytes == Self.copy(path).bytes) }
        }
    }

    @Test func countsAreBounded() throws {
        let folder = try TemporaryFolder()
        let path = try folder.write("some.mov", Self.scattered(1_000))
        #expect(try Self.copy(path).bytes[8..<8_008].elementsEqual((0..<8_000).map { $0 % 8 == 0 ? 0x51 : 0 }))
        #expect(Self.refusal(try folder.write("parts.mov", Self.scattered(400_001))) == .isTooLong)
        #expect(Self.refusal(try folder.write("chunks.mov", Self.scattered(1_000_001))) == .isTooLong)
        // So many boxes that the last ones are hidden with the rest.
        let boxes = (0..<5_000).flatMap { _ in MadeMedia.bigEndian(11, 4) + Array("free\(Self.secret)".utf8) }
        let copy = try Self.copy(try folder.write("boxes.mov", Self.scattered(10) + boxes))
        #expect(!Self.has(Self.secret, copy.bytes))
    }

    // MARK: Bytes

    private static func places(of text: String, _ bytes: [UInt8]) -> [Int] {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return [] }
        return (0...bytes.count - wanted.count).filter { place in
            bytes[place] == wanted[0] && bytes[place..<place + wanted.count].elementsEqual(wanted)
        }
    }

    private static func has(_ text: String, _ bytes: [UInt8]) -> Bool { !places(of: text, bytes).isEmpty }
}
