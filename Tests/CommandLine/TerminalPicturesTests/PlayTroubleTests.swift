import Foundation
import Glibc
import PictureValues
import TestSupport
import TestThreads
import Testing

/// Films in a terminal when something goes wrong, or comes from the network.
@Suite(.blocking, .serialized, .enabled("ffmpeg is not installed") { Fixtures.missing.isEmpty })
struct FilmTroubleTests {
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
        let segue = try Fixtures.segue(["play", "--video", "--output", "null", url], answer: Fixtures.fullColour)
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

    /// Also where bytes can only be read in order.
    @Test(
        .enabled("nginx is not installed") { WebServer.missing.isEmpty },
        arguments: ["film.mp4", "film.mkv", "film.ts"]
    )
    func aFilmFromAServerWithoutRangesIsShown(_ name: String) async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(name, seconds: 20, in: folder)
        let server = try await WebServer.start(.whole("whole/"))
        try server.publish(path, as: name)
        let words = ["play", "--video", "--output", "null", server.url("whole/\(name)")]
        let segue = try Fixtures.segue(words, answer: Fixtures.fullColour)
        try await segue.wait { $0.isAlternate && $0.frameCount > 20 }
        segue.type("q")
        #expect(try await segue.process.wait().status == .code(0))
    }

    @Test(.enabled("nginx is not installed") { WebServer.missing.isEmpty })
    func aPresentationSaysThatItsPicturesAreNotShown() async throws {
        let folder = try TemporaryFolder()
        let list = try Fixtures.film(
            "film.m3u8",
            seconds: 8,
            in: folder,
            Fixtures.usual + ["-hls_time", "2", "-hls_list_size", "0"]
        )
        let server = try await WebServer.start()
        try server.publish(folder: folder.path, as: "film")
        let url = server.url("film/\(list.split(separator: "/").last ?? "")")
        let segue = try Fixtures.segue(["play", "--video", "--output", "null", url], answer: Fixtures.fullColour)
        // The line is longer than the window is wide.
        try await segue.wait {
            $0.text.replacing("\n", with: "").contains("moving pictures are not shown of HLS and DASH")
        }
        segue.type("q")
        #expect(try await segue.process.wait().status == .code(0))
    }

    @Test(arguments: [SIGTERM, SIGINT, SIGHUP], [true, false])
    func aTerminalThatTakesNoBytesHoldsUpNoEnd(_ number: Int32, _ showsVideo: Bool) async throws {
        let folder = try TemporaryFolder()
        let path = try Fixtures.film(seconds: 60, in: folder)
        let words = ["play"] + (showsVideo ? ["--video"] : []) + ["--output", "null", path]
        let segue = try Fixtures.segue(words, answer: Fixtures.fullColour)
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
        let segue = try Fixtures.segue(["play", "--video", "--output", "null", path], answer: Fixtures.fullColour)
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
}
