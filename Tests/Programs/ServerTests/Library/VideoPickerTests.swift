import Foundation
import PictureValues
import TestSupport
import TestThreads
import Testing

/// Videos that the owner picks for clients that may not see the library.
@Suite(.blocking, .enabled("the fixtures' tools are missing") { Music.missing.isEmpty })
struct VideoPickerTests {
    /// In all that a video's file tells beside its pictures and its sound.
    private static let secret = "Qzx"

    /// A server with a picture and two videos, and a client that may only ask for them.
    private struct Stage {
        let server: Segued
        let root: String
        let owner: LineClient
        let frame: LineClient

        /// - Parameter more: The names of more videos.
        init(more: [String] = []) async throws {
            let folder = try TemporaryFolder()
            root = try folder.makeFolder("pictures")
            try await MediaFixtures.ffmpeg([
                "-f", "lavfi", "-i", "color=red:size=120x80", "-frames:v", "1", "\(root)/1.png",
            ])
            for name in ["film.mp4", "old.avi"] + more { try await Self.make("\(root)/\(name)") }
            server = try await Segued.start(.options(["--password", "frame@pick"]), in: folder, music: root)
            (owner, frame) = (try server.connect(), try server.connect())
            try frame.order("password frame")
        }

        static func make(_ path: String, seconds: Int = 1) async throws {
            try await MediaFixtures.ffmpeg([
                "-f", "lavfi", "-i", "testsrc=s=160x90:d=\(seconds)", "-f", "lavfi", "-i", "sine=d=\(seconds)",
                "-c:v", "mpeg4", "-c:a", "libmp3lame", "-metadata", "location=+48.1374+011.5755/", "-metadata",
                "title=\(secret)", "-metadata", "comment=\(secret)", path,
            ])
        }

        func open(_ words: String) throws -> String {
            try #require(try frame.values("picker open \(words)")["request"])
        }

        func pick(_ request: String, _ uri: String) throws {
            for line in ["take \(request)", "select \(request) \(uri)", "finish \(request)"] {
                try owner.order("picking \(line)")
            }
        }

        /// The files that the owner can choose from.
        func choice(_ request: String) throws -> [String] {
            try owner.order("picking items \(request)").filter { $0.hasPrefix("file: ") }.map {
                String($0.dropFirst(6))
            }
        }

        func segue(_ words: String...) throws -> ChildProcess {
            let program = try Segued.path().replacing(/segued$/, with: "segue")
            return try ChildProcess(program, words, environment: ["LANG": "C.UTF-8", "SEGUE_HOST": server.socket])
        }
    }

    /// Sums of all decoded pictures and sound.
    private static func content(_ path: String) throws -> String {
        let words = ["-v", "error", "-i", path, "-map", "0:v", "-map", "0:a", "-f", "framemd5", "-"]
        return try ChildProcess.run("ffmpeg", words).outputText
    }

    @Test("A client gets a video's pictures and sound, and nothing else that its file tells")
    func aVideoIsGiven() async throws {
        let stage = try await Stage()
        let original = try FileBytes.read("\(stage.root)/film.mp4")
        #expect(String(decoding: original, as: UTF8.self).contains(Self.secret))
        let request = try stage.open("kind media limit 2")
        #expect(try stage.choice(request) == ["1.png", "film.mp4", "old.avi"])
        try stage.pick(request, "film.mp4")
        let item = try stage.frame.values("picker items \(request)")
        #expect(item["kind"] == "video" && item["type"] == "video/mp4" && item["name"] == "film.mp4")
        #expect(item["size"] == "\(original.count)" && item["width"] == "160" && item["height"] == "90")
        #expect(item["duration"]?.hasPrefix("1.0") == true && item["file"] == nil)
        let handle = try #require(item["handle"])
        var bytes: [UInt8] = []
        while bytes.count < original.count {
            let size = try stage.frame.values("picker load \(handle) \(bytes.count)")["size"]
            try #require(size == "\(original.count)" && !stage.frame.chunk.isEmpty)
            bytes += stage.frame.chunk
        }
        let path = try stage.server.folder.write("loaded.mp4", bytes)
        #expect(try Self.content(path) == Self.content("\(stage.root)/film.mp4"))
        let text = String(decoding: bytes, as: UTF8.self)
        #expect(!text.contains(Self.secret) && !text.contains("+48.1"))
        // Any piece is that of the whole.
        try stage.frame.order("binarylimit 64")
        for offset in [0, 1, 777, original.count - 40, original.count] {
            try stage.frame.order("picker load \(handle) \(offset)")
            #expect(stage.frame.chunk == Array(bytes[offset...].prefix(64)), "\(offset)")
        }
        #expect(stage.frame.ask("picker load \(handle) \(original.count + 1)").last?.hasPrefix("ACK [2@0]") == true)
    }

    @Test("Kinds are told apart, and what cannot be given cannot be chosen")
    func kinds() async throws {
        let stage = try await Stage()
        #expect(try stage.choice(stage.open("")) == ["1.png"])
        #expect(try stage.choice(stage.open("kind media filter not(videos)")) == ["1.png"])
        let request = try stage.open("kind videos limit 2")
        #expect(try stage.choice(request) == ["film.mp4", "old.avi"])
        #expect(
            stage.frame.ask("picker open filter any(images,videos)") == [
                "ACK [2@0] {picker} there are no videos among pictures: kind videos, or kind media for both"
            ]
        )
        try stage.owner.order("picking take \(request)")
        #expect(
            stage.owner.ask("picking select \(request) film.mp4 old.avi") == [
                "ACK [50@0] {picking} old.avi cannot be given without the places and names that may be in its file: it is not MP4, QuickTime, Matroska or WebM"
            ]
        )
        #expect(
            stage.owner.ask("picking select \(request) 1.png").last
                == "ACK [50@0] {picking} there is no video 1.png that the client asks for"
        )
        #expect(try stage.owner.order("picking selection \(request)") == [])
    }

    @Test("A Live Photo is shown once, as its picture")
    func aLivePhoto() async throws {
        let stage = try await Stage(more: ["1.mov"])
        #expect(try stage.choice(stage.open("kind media")) == ["1.png", "film.mp4", "old.avi"])
        #expect(try stage.choice(stage.open("kind videos filter not(covers)")) == ["film.mp4", "old.avi"])
        #expect(try stage.choice(stage.open("kind videos filter livePhotoVideos")) == ["1.mov"])
        let request = try stage.open("kind media filter livePhotos")
        #expect(try stage.choice(request) == ["1.png"])
        try stage.owner.order("picking take \(request)")
        #expect(
            stage.owner.ask("picking select \(request) 1.mov") == [
                "ACK [50@0] {picking} there is no picture or video 1.mov that the client asks for"
            ]
        )
    }

    @Test("A video that is replaced while it is being loaded is not given any further")
    func aVideoIsReplaced() async throws {
        let stage = try await Stage()
        let request = try stage.open("kind videos")
        try stage.pick(request, "film.mp4")
        let handle = try #require(try stage.frame.values("picker items \(request)")["handle"])
        try stage.frame.order("picker load \(handle) 0")
        try await Stage.make("\(stage.root)/new.mp4", seconds: 2)
        try ChildProcess.run("mv", ["\(stage.root)/new.mp4", "\(stage.root)/film.mp4"])
        #expect(
            stage.frame.ask("picker load \(handle) 8192").last
                == "ACK [50@0] {picker} invalidResource: the file was changed after it was picked"
        )
        try ChildProcess.run("rm", ["\(stage.root)/film.mp4"])
        #expect(
            stage.frame.ask("picker load \(handle) 8192").last
                == "ACK [50@0] {picker} missingResource: the file is not there any more"
        )
    }

    @Test func theVerbAsksForVideos() async throws {
        let stage = try await Stage()
        let folder = stage.server.folder.file("films")
        let asking = try stage.segue("pick", "--media", "--limit", "2", "-o", folder)
        try wait(for: "the request") { try !stage.owner.order("picking list").isEmpty }
        let list = try await stage.segue("pick", "--list").wait().outputText
        #expect(list.contains("up to 2 pictures and videos") && !list.contains("not(covers)"))
        let refused = try await stage.segue("pick", "--for", "p1", "old.avi").wait()
        #expect(refused.status == .code(1) && refused.errorText.contains("old.avi cannot be given"))
        #expect(try await stage.segue("pick", "--for", "p1", "film.mp4", "1.png").wait().status == .code(0))
        let result = try await asking.wait()
        #expect(result.status == .code(0) && result.outputText == "\(folder)/film.mp4\n\(folder)/1.jpg\n")
        #expect(try Self.content("\(folder)/film.mp4") == Self.content("\(stage.root)/film.mp4"))
        let both = try await stage.segue("pick", "--media", "--songs", "-o", folder).wait()
        #expect(both.errorText.contains("--videos, --media and --songs exclude each other"))
        let nowhere = try await stage.segue("pick", "--videos").wait()
        #expect(nowhere.errorText.contains("name a folder for the videos: -o <folder>"))
    }

    @Test("The owner sees a frame of each video, and how long it lasts")
    func theScreenShowsVideos() async throws {
        let stage = try await Stage()
        let request = try stage.open("kind media limit 2")
        let terminal = try TerminalProcess(
            try Segued.path().replacing(/segued$/, with: "segue"),
            ["pick", "--for", request],
            environment: ["MPD_HOST": stage.server.socket, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"],
            columns: 80,
            rows: 24,
            answer: "\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[6;16;8t\u{1b}[?62;4c"
        )
        try await terminal.wait { $0.pictures.count == 3 }
        // The only picture of the folder is not the videos' cover here.
        let shown = terminal.contents.pictures.sorted { $0.column < $1.column }.map(\.bitmap.pixels)
        #expect(shown[0] != shown[1] && shown[0] != shown[2])
        #expect(
            terminal.contents.lines[0].hasSuffix(
                "asks for up to 2 pictures and videos. It will see only what you choose."
            )
        )
        #expect(terminal.contents.text.contains("0:01 film.mp4"))
        terminal.type("\u{1b}[C\u{1b}[C ")
        try await terminal.waitForText("old.avi cannot be given without")
        terminal.type("\u{1b}[D ")
        try await terminal.waitForText("●1 0:01 film.mp4")
        #expect(terminal.contents.lines[22] == "●1 film.mp4, 0:01, 160 x 90")
        terminal.type("\r")
        #expect(try await terminal.process.wait().status == .code(0))
        #expect(terminal.contents.text.contains("The client gets 1 picture or video."))
        #expect(try stage.frame.values("picker items \(request)")["kind"] == "video")
    }
}
