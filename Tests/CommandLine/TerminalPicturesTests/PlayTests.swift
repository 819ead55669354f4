import Foundation
import Glibc
import Pictures
import TestSupport
import TestThreads
import Testing

/// `segue play --video` and `segue show` in a terminal, as people see them.
@Suite(.blocking, .serialized, .enabled("ffmpeg is not installed") { Fixtures.missing.isEmpty })
struct PicturesInTerminalTests {
    private static let kitty = "\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[6;16;8t\u{1b}[?62;4c"
    private static let fullColour = "\u{1b}P1$r0;48:2:1:2:3m\u{1b}\\\u{1b}[6;16;8t\u{1b}[?62c"

    private func segue(_ words: [String], answer: String) throws -> TerminalProcess {
        try TerminalProcess(
            try Fixtures.program("segue"),
            words,
            environment: ["PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/proc/nonexistent"],
            columns: 80,
            rows: 34,
            answer: answer
        )
    }

    @Test(arguments: [Fixtures.usual, Fixtures.silent])
    func aFilmIsShownAboveItsLineAndLeavesNothing(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 60, in: folder, options)
        let segue = try segue(["play", "--video", "--output", "null", path], answer: Self.fullColour)
        try await segue.wait { $0.isAlternate && $0.frameCount > 20 }
        // Paused, its frames are as ffmpeg shows them, above the line.
        segue.type(" ")
        try await segue.wait { $0.lines.last?.hasPrefix("‖") == true }
        // A minute back is the beginning; then one frame on.
        for (keys, number) in [("\u{1b}[B", 0), (".", 1), (".", 2)] {
            segue.type(keys)
            let frame = try Fixtures.frame(number, of: path, in: folder)
            try await segue.wait { screen in
                screen.halfBlocks(rows: 0..<30, columns: 0..<80).map { $0.difference(to: frame) < 2.5 } ?? false
            }
        }
        let shown = try #require(segue.contents.halfBlocks(rows: 0..<30, columns: 0..<80))
        // What is printed meanwhile scrolls below the picture.
        for _ in 0..<6 { segue.type("o") }
        // Three of their lines, and the film's.
        try await segue.wait {
            $0.lines[30..<34].joined(separator: "\n").components(separatedBy: " ms at most").count == 3
        }
        let after = try #require(segue.contents.halfBlocks(rows: 0..<30, columns: 0..<80))
        #expect(after.difference(to: shown) == 0)
        segue.type("q")
        #expect(try await segue.process.wait().status == .code(0))
        let left = segue.contents
        #expect(!left.isAlternate && left.isCursorVisible && segue.isInLineMode)
        #expect(left.text.contains("Playing film.mp4") && !left.text.contains("▀"), "\(left.text)")
    }

    @Test(
        .enabled("nginx is not installed") { WebServer.missing.isEmpty },
        arguments: [("film.mp4", "aac"), ("film.mkv", "flac")]
    )
    func aFilmOnTheNetworkIsShown(_ name: String, _ codec: String) async throws {
        let folder = try TemporaryFolder()
        // Unlike AAC, FLAC has no samples before the first one that Matroska would delay the pictures by.
        let path = try Fixtures.film(name, seconds: 60, in: folder, Fixtures.usual.dropLast() + [codec])
        let server = try await WebServer.start()
        let url = try server.publish(path, as: name)
        let segue = try segue(["play", "--video", "--output", "null", url], answer: Self.fullColour)
        try await segue.wait { $0.isAlternate && $0.frameCount > 20 }
        // To a minute later, where nothing was fetched, and back.
        segue.type(" ")
        try await segue.wait { $0.lines.last?.hasPrefix("‖") == true }
        for (keys, number) in [("\u{1b}[B", 0), ("\u{1b}[C", 125), (".", 126)] {
            segue.type(keys)
            let frame = try Fixtures.frame(number, of: path, in: folder)
            try await segue.wait { screen in
                screen.halfBlocks(rows: 0..<30, columns: 0..<80).map { $0.difference(to: frame) < 2.5 } ?? false
            }
        }
        // An outage costs frames, not the film.
        server.stop()
        segue.type(" ")
        segue.type("\u{1b}[C\u{1b}[C\u{1b}[C\u{1b}[C")
        try await server.start()
        let count = segue.contents.frameCount
        try await segue.wait { $0.frameCount > count + 20 }
        segue.type("q")
        #expect(try await segue.process.wait().status == .code(0))
    }

    @Test func aFilmWithoutSoundEndsWithItsLastFrame() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 3, in: folder, Fixtures.silent)
        let begin = ContinuousClock.now
        let segue = try segue(["play", "--video", "--output", "null", path], answer: Self.fullColour)
        #expect(try await segue.process.wait().status == .code(0))
        #expect(ContinuousClock.now - begin > .seconds(2.9) && !segue.contents.text.contains("segue:"))
        // Without its pictures nothing of it can be played.
        let unseen = try await ChildProcess(try Fixtures.program("segue"), ["play", "--output", "null", path]).wait()
        #expect(unseen.status == .code(1) && unseen.errorText.contains("no audio"))
    }

    @Test func kittysTerminalsGetPixels() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 60, in: folder)
        let segue = try segue(["play", "--video", "--output", "null", path], answer: Self.kitty)
        try await segue.wait { $0.pictures.count > 5 }
        // It fills 80 x 30 cells, to which the terminal enlarges it.
        #expect(segue.contents.pictures.allSatisfy { $0.bitmap.size == PixelSize(320, 240) && $0.row == 0 })
        // Stopped, the terminal is the shell's again.
        segue.type("\u{3}")
        #expect(try await segue.process.wait().status == .signal(2))
        #expect(!segue.contents.isAlternate && segue.contents.isCursorVisible && segue.isInLineMode)
        let removed = String(decoding: segue.contents.received.suffix(400), as: UTF8.self)
        #expect(removed.contains("\u{1b}_Ga=d,d=I,"))
    }

    @Test func aNewSizeIsFilled() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 60, in: folder)
        let segue = try segue(["play", "--video", "--output", "null", path], answer: Self.fullColour)
        try await segue.wait { $0.isAlternate && $0.frameCount > 2 }
        segue.type(" ")
        segue.resize(columns: 40, rows: 19)
        try await segue.wait { screen in
            screen.rows == 19 && screen.halfBlocks(rows: 0..<15, columns: 0..<40)?.pixels.contains { $0 > 0 } == true
        }
        segue.type("q")
        #expect(try await segue.process.wait().status == .code(0))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP], [true, false])
    func aTerminalThatTakesNoBytesHoldsUpNoEnd(_ number: Int32, _ showsVideo: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 60, in: folder)
        let words = ["play"] + (showsVideo ? ["--video"] : []) + ["--output", "null", path]
        let segue = try segue(words, answer: Self.fullColour)
        try await segue.wait { $0.lines.joined().contains("▶ 0:0") }
        segue.stopReading()
        // More than the kernel keeps for the terminal.
        for _ in 0..<600 { segue.type("?") }
        segue.process.kill(number)
        #expect(await segue.process.hasEnded(within: .seconds(20)))
        segue.goOnReading()
        #expect(try await segue.process.wait().status == .signal(number))
    }

    @Test func aDecoderThatCrashesIsStartedAgain() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 60, in: folder)
        let segue = try segue(["play", "--video", "--output", "null", path], answer: Self.fullColour)
        try await segue.wait { $0.isAlternate && $0.frameCount > 5 }
        var ended: Set<pid_t> = []
        for _ in 0..<5 {
            let decoder = try #require(Self.children(of: segue.process.pid).first { !ended.contains($0) })
            ended.insert(decoder)
            kill(decoder, SIGKILL)
            let count = segue.contents.frameCount
            try await segue.wait { $0.frameCount > count + 10 }
        }
        // One that crashes ever again is given up, not the sound.
        let last = try #require(Self.children(of: segue.process.pid).first { !ended.contains($0) })
        kill(last, SIGKILL)
        try await segue.wait { !$0.isAlternate && $0.text.contains("the decoder was ended") }
        segue.type("q")
        #expect(try await segue.process.wait().status == .code(0))
    }

    private static func children(of process: pid_t) -> [pid_t] {
        let tasks = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
        return tasks.flatMap { task in
            let words = (try? FileBytes.read("/proc/\(process)/task/\(task)/children")) ?? []
            return String(decoding: words, as: UTF8.self).split(separator: " ").compactMap { pid_t($0) }
        }
    }

    @Test func soundAloneIsPlayedAsEver() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film("a.flac", seconds: 60, in: folder, ["-vn"])
        let segue = try segue(["play", "--video", "--output", "null", path], answer: Self.fullColour)
        try await segue.waitForText("▶ 0:01")
        #expect(!segue.contents.isAlternate)
        segue.type("q")
        #expect(try await segue.process.wait().status == .code(0))
    }

    @Test func showFindsOutWhatTheTerminalCan() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let inPixels = try segue(["show", path], answer: Self.kitty)
        #expect(try await inPixels.process.wait().status == .code(0))
        #expect(inPixels.contents.pictures.map(\.bitmap.size) == [PixelSize(320, 240)])
        let inSixels = try segue(["show", path], answer: "\u{1b}[6;16;8t\u{1b}[?62;4c")
        #expect(try await inSixels.process.wait().status == .code(0))
        #expect(inSixels.contents.pictures.map(\.bitmap.size) == [PixelSize(320, 240)])
        let inSymbols = try segue(["show", "--size", "20x10", path], answer: "\u{1b}[6;16;8t\u{1b}[?62c")
        #expect(try await inSymbols.process.wait().status == .code(0))
        #expect(inSymbols.contents.pictures.isEmpty && inSymbols.contents.lines.prefix(8).allSatisfy { !$0.isEmpty })
        #expect(inSymbols.contents.cursor == (8, 0) && inSymbols.isInLineMode)
    }

    @Test func nothingOfItGoesIntoPipes() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let refused = try await ChildProcess(try Fixtures.program("segue"), ["show", path]).wait()
        #expect(refused.status == .code(64) && refused.outputText.isEmpty)
        #expect(refused.errorText.hasPrefix("segue: ") && refused.errorText.contains("--graphics"))
        let wanted = try await ChildProcess(try Fixtures.program("segue"), ["show", "--graphics", "sixel", path]).wait()
        var screen = TerminalScreen(columns: 80, rows: 24)
        screen.receive(wanted.output)
        #expect(wanted.status == .code(0) && screen.pictures.count == 1)
    }
}
