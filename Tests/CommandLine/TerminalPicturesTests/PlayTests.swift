import Foundation
import Glibc
import PictureValues
import TestSupport
import TestThreads
import Testing

/// `segue play --video` and `segue show` in a terminal, as people see them.
@Suite(.blocking, .serialized, .enabled("ffmpeg is not installed") { Fixtures.missing.isEmpty })
struct PicturesInTerminalTests {
    @Test(arguments: [Fixtures.usual, Fixtures.silent])
    func aFilmIsShownAboveItsLineAndLeavesNothing(_ options: [String]) async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 60, in: folder, options)
        let segue = try Fixtures.segue(["play", "--video", "--output", "null", path], answer: Fixtures.fullColour)
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

    @Test func aFilmWithoutSoundEndsWithItsLastFrame() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 3, in: folder, Fixtures.silent)
        let begin = ContinuousClock.now
        let segue = try Fixtures.segue(["play", "--video", "--output", "null", path], answer: Fixtures.fullColour)
        #expect(try await segue.process.wait().status == .code(0))
        #expect(ContinuousClock.now - begin > .seconds(2.9) && !segue.contents.text.contains("segue:"))
        // Without its pictures nothing of it can be played.
        let unseen = try await ChildProcess(try builtProgram("segue"), ["play", "--output", "null", path]).wait()
        #expect(unseen.status == .code(1) && unseen.errorText.contains("no audio"))
    }

    @Test func theVideosOfAFilmAreChosen() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.angles(seconds: 60, in: folder)
        let clock = try Fixtures.frame(0, of: path, video: 0, in: folder)
        let red = try Fixtures.frame(0, of: path, video: 1, in: folder)
        for (words, first) in [(["--video"], red), (["--video-track", "1"], clock), (["--video-track", "de"], red)] {
            let segue = try Fixtures.segue(["play"] + words + ["--output", "null", path], answer: Fixtures.fullColour)
            try await segue.wait { $0.isAlternate && $0.frameCount > 0 }
            // Paused at its beginning.
            segue.type(" \u{1b}[B")
            let pictures = first == red ? [red, clock, red] : [clock, red, clock]
            for (number, picture) in pictures.enumerated() {
                if number > 0 { segue.type("_") }
                try await segue.wait { screen in
                    screen.halfBlocks(rows: 0..<30, columns: 0..<80).map { $0.difference(to: picture) < 2.5 } ?? false
                }
            }
            segue.type("q")
            #expect(try await segue.process.wait().status == .code(0))
        }
        let other = try Fixtures.segue(
            ["play", "--video-track", "3", "--output", "null", path],
            answer: Fixtures.fullColour
        )
        try await other.waitForText("there is no video track 3")
        other.type("_")
        try await other.waitForText("No film is shown")
        #expect(!other.contents.isAlternate)
        other.type("q")
        #expect(try await other.process.wait().status == .code(0))
    }

    @Test func kittysTerminalsGetPixels() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 60, in: folder)
        let segue = try Fixtures.segue(["play", "--video", "--output", "null", path], answer: Fixtures.kitty)
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
        let segue = try Fixtures.segue(["play", "--video", "--output", "null", path], answer: Fixtures.fullColour)
        try await segue.wait { $0.isAlternate && $0.frameCount > 2 }
        segue.type(" ")
        segue.resize(columns: 40, rows: 19)
        try await segue.wait { screen in
            screen.rows == 19 && screen.halfBlocks(rows: 0..<15, columns: 0..<40)?.pixels.contains { $0 > 0 } == true
        }
        segue.type("q")
        #expect(try await segue.process.wait().status == .code(0))
    }

    @Test func soundAloneIsPlayedAsEver() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film("a.flac", seconds: 60, in: folder, ["-vn"])
        let segue = try Fixtures.segue(["play", "--video", "--output", "null", path], answer: Fixtures.fullColour)
        try await segue.waitForText("▶ 0:01")
        #expect(!segue.contents.isAlternate)
        segue.type("q")
        #expect(try await segue.process.wait().status == .code(0))
    }

    @Test func showFindsOutWhatTheTerminalCan() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let inPixels = try Fixtures.segue(["show", path], answer: Fixtures.kitty)
        #expect(try await inPixels.process.wait().status == .code(0))
        #expect(inPixels.contents.pictures.map(\.bitmap.size) == [PixelSize(320, 240)])
        let inSixels = try Fixtures.segue(["show", path], answer: "\u{1b}[6;16;8t\u{1b}[?62;4c")
        #expect(try await inSixels.process.wait().status == .code(0))
        #expect(inSixels.contents.pictures.map(\.bitmap.size) == [PixelSize(320, 240)])
        let inSymbols = try Fixtures.segue(["show", "--size", "20x10", path], answer: "\u{1b}[6;16;8t\u{1b}[?62c")
        #expect(try await inSymbols.process.wait().status == .code(0))
        #expect(inSymbols.contents.pictures.isEmpty && inSymbols.contents.lines.prefix(8).allSatisfy { !$0.isEmpty })
        #expect(inSymbols.contents.cursor == (8, 0) && inSymbols.isInLineMode)
    }

    @Test func nothingOfItGoesIntoPipes() async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(in: folder)
        let refused = try await ChildProcess(try builtProgram("segue"), ["show", path]).wait()
        #expect(refused.status == .code(64) && refused.outputText.isEmpty)
        #expect(refused.errorText.hasPrefix("segue: ") && refused.errorText.contains("--graphics"))
        let wanted = try await ChildProcess(try builtProgram("segue"), ["show", "--graphics", "sixel", path]).wait()
        var screen = TerminalScreen(columns: 80, rows: 24)
        screen.receive(wanted.output)
        #expect(wanted.status == .code(0) && screen.pictures.count == 1)
    }
}
