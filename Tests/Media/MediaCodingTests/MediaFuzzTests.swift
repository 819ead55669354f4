import Foundation
import TestSupport
import Testing

/// Files of all containers with sizes, times, counts and rates at their extremes, read as the scanner and the player do.
///
/// `SEGUE_FUZZ_SECONDS` sets how long that goes on, `SEGUE_FUZZ_SEED` where chance begins.
@Suite(.enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty })
struct MediaFuzzTests {
    private static let environment = ProcessInfo.processInfo.environment
    private static let seconds = environment["SEGUE_FUZZ_SECONDS"].flatMap(Double.init) ?? 10
    private static let seed = environment["SEGUE_FUZZ_SEED"].flatMap(UInt64.init) ?? 13

    @Test(.timeLimit(.minutes(60))) func whateverNumbersAFileHas() async throws {
        let folder = try TemporaryFolder()
        let seeds = try folder.makeFolder("seeds")
        try await Self.makeSeeds(in: seeds)
        let program = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath().deletingLastPathComponent()
            .appending(path: "media-fuzzer").path
        let fuzzer = try ChildProcess(
            program,
            [seeds, "\(Self.seconds)", "\(Self.seed)"],
            environment: Self.environment.merging(
                // Under AddressSanitizer; what a file says may be more memory than there is.
                ["SWIFT_BACKTRACE": "enable=no", "ASAN_OPTIONS": "allocator_may_return_null=1:detect_leaks=0"]
            ) { $1 }
        )
        let result = try await fuzzer.wait(within: .seconds(Self.seconds + 60))
        let lines = result.outputText.split(separator: "\n")
        guard result.status == .code(0) else {
            let kept = FileManager.default.temporaryDirectory.appending(path: "segue-fuzz-finding").path
            try? FileManager.default.removeItem(atPath: kept)
            try? FileManager.default.copyItem(atPath: "\(seeds)/now", toPath: kept)
            let last = lines.last ?? "nothing"
            Issue.record("\(last): \(result.status), the input is in \(kept)\n\(result.errorText.suffix(2_000))")
            return
        }
        // Files that are all refused would try nothing.
        let numbers = (lines.last ?? "").split(separator: " ").compactMap { Int($0) }
        try #require(numbers.count == 2)
        print("seed \(Self.seed): \(lines.last ?? "")")
        #expect(numbers[1] > numbers[0] / 5)
    }

    @MediaWork
    private static func makeSeeds(in folder: String) throws {
        let words = ";FFMETADATA1\ntitle=T\nartist=A\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=One\n"
        let list = try TemporaryFolder()
        let chapters = try list.write("chapters.txt", words)
        let sine = ["-f", "lavfi", "-i", "sine=440:duration=1:sample_rate=44100", "-i", chapters]
        let all: [(String, [String])] =
            [
                "wav", "aiff", "flac", "mp3", "ogg", "mka", "m4a", "aac", "ts", "w64", "caf", "au", "wv", "tta", "avi",
                "nut",
            ]
            .map { ("a.\($0)", []) } + [
                ("opus.webm", ["-c:a", "libopus"]), ("alac.m4a", ["-c:a", "alac"]), ("flac.ogg", ["-c:a", "flac"]),
                ("fragments.mp4", ["-c:a", "aac", "-movflags", "frag_keyframe+empty_moov"]),
                ("itunes.m4a", ["-c:a", "aac", "-use_editlist", "0", "-movflags", "+faststart"]),
            ]
        for (name, options) in all {
            try MediaFixtures.ffmpeg(sine + ["-map_metadata", "1"] + options + ["\(folder)/\(name)"])
        }
    }
}
