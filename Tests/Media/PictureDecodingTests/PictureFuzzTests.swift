import Foundation
import TestSupport
import TestThreads
import Testing

/// Pictures and films with numbers at their extremes, and bombs: each gives a picture or one error, in bounded time and
/// memory.
///
/// `SEGUE_FUZZ_SECONDS` sets how long that goes on, `SEGUE_FUZZ_SEED` where chance begins.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Fixtures.missing.isEmpty })
struct PictureFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["SEGUE_FUZZ_SECONDS"].flatMap(Double.init) ?? 10
    private static let seed = environment["SEGUE_FUZZ_SEED"].flatMap(UInt64.init) ?? 15
    /// AddressSanitizer keeps what is freed for a while, and a shadow of it.
    private static let megabytes = environment["SEGUE_SANITIZER"] == nil ? 700 : 3_000

    @Test(.timeLimit(.minutes(60))) func whateverNumbersAPictureHas() async throws {
        let folder = try TemporaryFolder()
        let seeds = try folder.makeFolder("seeds")
        try makeSeeds(in: seeds, folder)
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "media-fuzzer").path
        let fuzzer = try ChildProcess(
            program,
            [seeds, "\(Self.seconds)", "\(Self.seed)", "pictures"],
            environment: Self.environment.merging(
                ["SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=0"]
            ) { $1 }
        )
        let result = try await fuzzer.wait(within: .seconds(Self.seconds + 60))
        let lines = result.outputText.split(separator: "\n")
        guard result.status == .code(0), lines.count > 1 else {
            let kept = FileManager.default.temporaryDirectory.appending(path: "segue-fuzz-finding").path
            try? FileManager.default.removeItem(atPath: kept)
            try? FileManager.default.copyItem(atPath: "\(seeds)/now", toPath: kept)
            let last = lines.last ?? "nothing"
            Issue.record("\(last): \(result.status), the input is in \(kept)\n\(result.errorText.suffix(2_000))")
            return
        }
        let numbers = lines.suffix(2).joined(separator: " ").split(separator: " ").compactMap { Int($0) }
        try #require(numbers.count == 3)
        print("seed \(Self.seed): \(lines.suffix(2).joined(separator: ", "))")
        // Files that are all refused would try nothing.
        #expect(numbers[1] > numbers[0] / 10)
        #expect(numbers[2] < Self.megabytes)
    }

    private func makeSeeds(in seeds: String, _ folder: TemporaryFolder) throws {
        let source = try Fixtures.make("a.png", "160x120", in: folder)
        func converted(_ name: String, _ options: [String] = []) throws {
            try ChildProcess.run("ffmpeg", ["-v", "error", "-y", "-i", source] + options + ["\(seeds)/\(name)"])
        }
        for name in ["a.jpg", "a.png", "a.webp", "a.gif", "a.tiff", "a.bmp", "a.jxl"] { try converted(name) }
        try converted("deep.png", ["-pix_fmt", "rgba64be"])
        try converted("palette.png", ["-pix_fmt", "pal8"])
        try converted("lossless.webp", ["-lossless", "1"])
        for (name, options) in [("a.heic", []), ("a.avif", ["-A"])] {
            try ChildProcess.run("heif-enc", options + [source, "-o", "\(seeds)/\(name)"])
        }
        let moving = ["-v", "error", "-y", "-f", "lavfi", "-i", "testsrc2=s=160x120:r=5:d=2"]
        for name in ["a.mp4", "a.mkv", "a.avi", "a.ts", "moving.webp", "moving.gif"] {
            try ChildProcess.run("ffmpeg", moving + ["\(seeds)/\(name)"])
        }
        let exif = withOrientation(try FileBytes.read("\(seeds)/a.jpg"), 6)
        try FileBytes.write(exif, to: "\(seeds)/turned.jpg")
        // Small files of large pictures.
        let flat = ["-v", "error", "-y", "-f", "lavfi", "-i", "color=black:s=12000x12000", "-frames:v", "1"]
        for name in ["bomb.png", "bomb.jpg", "bomb.webp", "bomb.gif"] {
            try ChildProcess.run("ffmpeg", flat + ["\(seeds)/\(name)"])
        }
        try ChildProcess.run("vips", ["jpegsave", "\(seeds)/bomb.jpg", "\(seeds)/progressive.jpg", "--interlace"])
    }
}
