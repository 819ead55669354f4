import Files
import Foundation
import Glibc
import PictureDecoding
import PictureValues
import TestSupport
import TestThreads
import Testing

/// `segue thumbnail`.
@Suite(.blocking, .serialized) struct ThumbnailTests {
    private static let missing = (try? ChildProcess.run("sh", ["-c", "command -v ffmpeg"])) == nil ? ["ffmpeg"] : []

    private func thumbnail(_ words: String..., in folder: TemporaryFolder) async throws -> ChildProcess.Result {
        let process = try ChildProcess(try builtProgram("segue"), ["thumbnail"] + words, folder: folder.path)
        return try await process.wait()
    }

    private func make(_ name: String, in folder: TemporaryFolder, _ size: String = "400x300") throws {
        try ChildProcess.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=\(size)", "-frames:v", "1", folder.file(name)]
        )
    }

    private func size(_ path: String) throws -> PixelSize {
        let file = try Descriptor(path, .reading)
        return try PictureDecoder.picture(of: file.number, .init(side: 10_000)).size
    }

    @Test(.enabled("ffmpeg is not installed") { missing.isEmpty })
    func foldersAreMadeSmall() async throws {
        let folder = try TemporaryFolder()
        for path in ["in/sub", "in/.hidden"] {
            try FileManager.default.createDirectory(atPath: folder.file(path), withIntermediateDirectories: true)
        }
        try make("in/one.png", in: folder)
        try make("in/one.bmp", in: folder)
        try make("in/sub/two.jpg", in: folder, "100x50")
        try make("in/.hidden/three.jpg", in: folder)
        try folder.write("in/broken.jpg", "no picture")
        try folder.write("in/notes.txt", "no picture")
        let first = try await thumbnail("in", "-o", "out", "--size", "80", in: folder)
        #expect(first.status == .code(1))
        #expect(first.errorText == "segue: in/broken.jpg: is no picture and no film\n")
        #expect(first.outputText == "3 made, 1 failed\n")
        #expect(try size(folder.file("out/one.jpg")) == PixelSize(80, 60))
        #expect(try size(folder.file("out/one-png.jpg")) == PixelSize(80, 60))
        #expect(try size(folder.file("out/sub/two.jpg")) == PixelSize(80, 40))
        let left = try FileManager.default.subpathsOfDirectory(atPath: folder.file("out")).sorted()
        #expect(left == ["one-png.jpg", "one.jpg", "sub", "sub/two.jpg"])
        // What is there is left as it is.
        let again = try await thumbnail("in/one.png", "in/sub", "-o", "out", "--size", "20", in: folder)
        #expect(again.status == .code(0) && again.outputText == "1 made, 1 there already\n")
        #expect(try size(folder.file("out/one.jpg")) == PixelSize(80, 60))
        _ = try await thumbnail("in/one.png", "-o", "out", "--size", "20", "--force", in: folder)
        #expect(try size(folder.file("out/one.jpg")) == PixelSize(20, 15))
    }

    @Test(.enabled("ffmpeg is not installed") { missing.isEmpty })
    func aFileIsNeverReplacedByItsThumbnail() async throws {
        let folder = try TemporaryFolder()
        try make("a.jpg", in: folder)
        // Its thumbnail's name is that of the other file.
        try make("a.bmp", in: folder)
        let before = try FileBytes.read(folder.file("a.jpg"))
        for words in [["a.jpg"], ["a.jpg", "--force"], ["a.jpg", "-o", "a.jpg", "--force"], [".", "--force"]] {
            let process = try ChildProcess(try builtProgram("segue"), ["thumbnail"] + words, folder: folder.path)
            _ = try await process.wait()
            #expect(try FileBytes.read(folder.file("a.jpg")) == before, "\(words)")
        }
    }

    @Test(.enabled("ffmpeg is not installed") { missing.isEmpty })
    func stripsAndJSON() async throws {
        let folder = try TemporaryFolder()
        try ChildProcess.run(
            "ffmpeg",
            ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x180", "-t", "4", "-g", "10", folder.file("f.mkv")]
        )
        let strip = try await thumbnail(
            "f.mkv",
            "--strip",
            "4",
            "--size",
            "80",
            "-o",
            "strip.png",
            "--json",
            in: folder
        )
        #expect(strip.outputText == #"{"file":"f.mkv","thumbnail":"strip.png","width":320,"height":45}"# + "\n")
        #expect(try size(folder.file("strip.png")) == PixelSize(320, 45))
    }

    /// The rest of a cut-off picture is made small, with an error and status 1.
    @Test(.enabled("ffmpeg is not installed") { missing.isEmpty })
    func whatIsCutOffIsToldAndMade() async throws {
        let folder = try TemporaryFolder()
        try make("whole.jpg", in: folder)
        let whole = try FileBytes.read(folder.file("whole.jpg"))
        try folder.write("cut.jpg", Array(whole.prefix(whole.count / 2)))
        let made = try await thumbnail("cut.jpg", "-o", "small.png", "--size", "80", "--json", in: folder)
        #expect(made.status == .code(1))
        let reason = "is damaged: it is cut off"
        #expect(made.errorText == "segue: cut.jpg: \(reason); what is left of it is made small\n")
        let fields = #""file":"cut.jpg","thumbnail":"small.png","width":80,"height":60,"error":"\#(reason)""#
        #expect(made.outputText == "{\(fields)}\n")
        #expect(try size(folder.file("small.png")) == PixelSize(80, 60))
        let several = try await thumbnail("cut.jpg", "whole.jpg", "-o", "out", in: folder)
        #expect(several.status == .code(1) && several.outputText == "2 made\n")
        let shown = try ChildProcess(
            try builtProgram("segue"),
            ["show", "--graphics", "symbols", "cut.jpg"],
            folder: folder.path
        )
        let show = try await shown.wait()
        #expect(show.status == .code(1) && !show.outputText.isEmpty)
        #expect(show.errorText == "segue: cut.jpg: \(reason); what is left of it is shown\n")
    }

    @Test(
        arguments: [
            ([], "nothing to make small"), (["a", "--size", "0"], "--size is 1 to 16384"),
            (["a", "--at", "110%"], "--at is a time"),
            (["a", "-o", "a.txt"], "'txt' is no format"), (["a", "--exact"], "--exact needs --at"),
        ] as [([String], String)]
    )
    func wrongWordsAreUsageErrors(words: [String], error: String) async throws {
        let folder = try TemporaryFolder()
        let process = try ChildProcess(try builtProgram("segue"), ["thumbnail"] + words, folder: folder.path)
        let result = try await process.wait()
        #expect(result.status == .code(64) && result.errorText.contains(error), "\(result.errorText)")
    }

    /// A film whose index, at its end, is missing; one that ends before the moment; and an address.
    @Test(.enabled("ffmpeg is not installed") { missing.isEmpty })
    func whatAFilmLacksIsToldInALine() async throws {
        let folder = try TemporaryFolder()
        let film = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=160x120:rate=5", "-t", "21"]
        try ChildProcess.run("ffmpeg", film + [folder.file("film.mp4")])
        let bytes = try [UInt8](Data(contentsOf: URL(filePath: folder.file("film.mp4"))))
        try folder.write("cut.mp4", Array(bytes.prefix(bytes.count / 2)))
        for (words, status, error) in [
            (["film.mp4", "--at", "1:02"], 1, "segue: film.mp4: lasts 21 s and shows nothing at 62 s\n"),
            (["film.mp4", "--at", "1:02", "--exact"], 1, "segue: film.mp4: lasts 21 s and shows nothing at 62 s\n"),
            (["cut.mp4"], 1, "segue: cut.mp4: is damaged: it is cut off\n"),
            (
                ["http://127.0.0.1:9/a.mp4"], 64,
                "thumbnail takes files only, and no addresses: http://127.0.0.1:9/a.mp4"
            ),
            (["film.mp4", "--at", "20"], 0, ""),
        ] as [([String], Int32, String)] {
            let process = try ChildProcess(try builtProgram("segue"), ["thumbnail"] + words, folder: folder.path)
            let result = try await process.wait()
            #expect(result.status == .code(status), "\(words)")
            #expect(status == 64 ? result.errorText.contains(error) : result.errorText == error, "\(result.errorText)")
        }
        let play = try ChildProcess(
            try builtProgram("segue"),
            ["play", "--output", "null", "cut.mp4"],
            folder: folder.path
        )
        #expect(try await play.wait().errorText == "segue: cut.mp4: the file is cut off: its index is missing\n")
    }

    /// `segue artwork` of a file of this machine, which no server is asked for.
    @Test(.enabled("ffmpeg is not installed") { missing.isEmpty })
    func aFilesArtworkNeedsNoServer() async throws {
        let folder = try TemporaryFolder()
        try make("cover.png", in: folder)
        let sound = ["-v", "error", "-f", "lavfi", "-i", "sine", "-t", "1"]
        try ChildProcess.run("ffmpeg", sound + [folder.file("beside.flac")])
        _ = try folder.makeFolder("alone")
        let picture = ["-i", folder.file("cover.png"), "-map", "0:a", "-map", "1:v", "-disposition:v", "attached_pic"]
        try ChildProcess.run("ffmpeg", sound.dropLast(2) + picture + ["-t", "1", folder.file("alone/embedded.mp3")])
        try ChildProcess.run("ffmpeg", sound + [folder.file("alone/none.flac")])
        let film = ["-v", "error", "-f", "lavfi", "-i", "testsrc2=size=400x300:rate=5", "-t", "2"]
        try ChildProcess.run("ffmpeg", film + [folder.file("alone/film.mp4")])
        func artwork(_ words: String...) async throws -> ChildProcess.Result {
            let environment = ["PATH": "/usr/bin:/bin", "SEGUE_HOST": folder.file("no-server")]
            let process = try ChildProcess(
                try builtProgram("segue"),
                ["artwork"] + words,
                environment: environment,
                folder: folder.path
            )
            return try await process.wait()
        }
        for words in [
            ["./beside.flac"], ["--here", "beside.flac"], [folder.file("alone/embedded.mp3")], ["./alone/film.mp4"],
        ] {
            let result = try await artwork(
                words[0],
                words.count > 1 ? words[1] : "--size=80",
                "-o",
                "out.png",
                "--size=80"
            )
            #expect(result.status == .code(0), "\(words): \(result.errorText)")
            #expect(try size(folder.file("out.png")) == PixelSize(80, 60))
        }
        #expect(try await artwork("./alone/none.flac").errorText == "segue: ./alone/none.flac: has no picture\n")
        #expect(try await artwork("./nothing.flac").errorText == "segue: ./nothing.flac: No such file or directory\n")
        // Any other name is the server's.
        #expect(try await artwork("beside.flac").status == .code(3))
    }
}
