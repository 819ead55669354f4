import Foundation
import TestSupport
import TestThreads
import Testing
import TextEncodings

/// The page in Chromium, as `Tests/Tools/PageScripts/page.mjs` uses it.
@Suite(
    .blocking,
    .serialized,
    .enabled("chromium, node or ffmpeg is missing") { ChildProcess.missing("chromium", "node", "ffmpeg").isEmpty }
)
struct PageBrowserTests {
    private static let isSoak = ProcessInfo.processInfo.environment["SEGUE_SOAK"] != nil

    /// A server with songs whose tags are what a hostile file may have in them, and two zones.
    private struct Stage {
        private let folder: TemporaryFolder
        let music: TemporaryFolder
        private let port: UInt16
        private let streamPort: UInt16

        init() async throws {
            folder = try TemporaryFolder()
            music = try await PageMusic.make()
            (port, streamPort) = (try steadyPort(), try steadyPort())
        }

        /// - Parameter head: Keys at the beginning of the configuration.
        func start(_ head: String = "") async throws -> Segued {
            let text = """
                \(head)
                listen = ["unix:\(folder.file("socket"))"]
                [web]
                listen = ["tcp:127.0.0.1:\(port)"]
                names = ["music.test"]
                [[output]]
                type = "null"
                name = "Kitchen <b>"
                [[output]]
                type = "httpd"
                name = "Stream"
                encoder = "opus"
                bind-to-address = "127.0.0.1"
                port = \(streamPort)
                [[zone]]
                name = "Bed & Bath"
                [[zone.output]]
                type = "null"
                name = "Bed"
                """
            return try await Segued.start(.toml(text), in: folder, music: music.path)
        }

        func startWithQueue(_ head: String = "") async throws -> Segued {
            let server = try await start(head)
            let client = try server.connect()
            try client.order("add \"\"")
            try client.order("setvol 50")
            return server
        }

        func beginFirefox() throws -> ChildProcess {
            let place = try folder.makeFolder("firefox")
            return try ChildProcess(
                "/usr/bin/python3",
                [PageFiles.script("firefox.py"), "http://localhost:\(port)/", place]
            )
        }

        func begin(_ scenario: String, _ secrets: String...) throws -> ChildProcess {
            let place = try folder.makeFolder("page")
            return try ChildProcess(
                "node",
                [PageFiles.script("page.mjs"), scenario, "http://localhost:\(port)/", place] + secrets
            )
        }
    }

    private func run(_ scenario: String) async throws {
        let stage = try await Stage()
        let server = try await stage.startWithQueue()
        let result = try await stage.begin(scenario).wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
        #expect(server.process.isRunning)
    }

    @Test("a phone shows what is played, and plays")
    func smoke() async throws { try await run("smoke") }

    @Test("nothing of a tag runs, and all has a name, at any size", .enabled(if: isSoak))
    func views() async throws { try await run("views") }

    @Test("keys, search, dragging and undoing", .enabled(if: isSoak))
    func use() async throws { try await run("use") }

    @Test("others change what is shown", .enabled(if: isSoak))
    func changes() async throws { try await run("changes") }

    @Test("lyrics follow", .enabled(if: isSoak))
    func lyrics() async throws { try await run("lyrics") }

    @Test("a shelf that is open shows what comes to the library", .enabled(if: isSoak))
    func library() async throws {
        let stage = try await Stage()
        let server = try await stage.startWithQueue()
        let page = try stage.begin("library")
        try await page.waitForOutput("ready")
        let music = stage.music.path
        try FileManager.default.createDirectory(atPath: "\(music)/new", withIntermediateDirectories: true)
        try FileManager.default.copyItem(atPath: "\(music)/0/0.flac", toPath: "\(music)/new/0.flac")
        try server.connect().order("update")
        let result = try await page.wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
    }

    @Test("a zone is chosen on one device", .enabled(if: isSoak))
    func rooms() async throws { try await run("rooms") }

    @Test("announcements, alarms and sessions", .enabled(if: isSoak))
    func house() async throws { try await run("house") }

    @Test("chapters", .enabled(if: isSoak))
    func chapters() async throws { try await run("chapters") }

    @Test("an owner's settings, and a guest whose rights are changed and taken back", .enabled(if: isSoak))
    func settings() async throws {
        let stage = try await Stage()
        let server = try await stage.startWithQueue()
        let secret = try #require(try server.connect().values("clients password owner permissions all")["password"])
        let tablet = try server.connect()
        let code = try #require(try tablet.values("pair request tv")["code"])
        let result = try await stage.begin("settings", secret, code).wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
        #expect(try tablet.values("pair wait")["name"] == "tv")
    }

    @Test("an owner chooses what clients ask for", .enabled(if: isSoak))
    func pick() async throws {
        let stage = try await Stage()
        let photos = stage.music.path + "/photos"
        try FileManager.default.createDirectory(atPath: photos, withIntermediateDirectories: true)
        for (number, colour) in ["red", "green", "blue", "white", "black", "yellow"].enumerated() {
            try await MediaFixtures.ffmpeg([
                "-f", "lavfi", "-i", "color=\(colour):size=320x240", "-frames:v", "1", "\(photos)/\(number).jpg",
            ])
        }
        try await MediaFixtures.ffmpeg([
            "-f", "lavfi", "-i", "testsrc=s=320x240:d=2", "-c:v", "mpeg4", "\(photos)/film.mp4",
        ])
        let server = try await stage.startWithQueue()
        let (owner, asker) = (try server.connect(), try server.connect())
        let secret = try #require(try owner.values("clients password owner permissions all")["password"])
        let page = try stage.begin("pick", secret)
        func open(_ words: String) throws -> String {
            try #require(try asker.values("picker open \(words)")["request"])
        }
        func picked(_ request: String) throws -> [String] {
            asker.send("picker wait \(request)\n")
            #expect(asker.reply().contains("state: done"))
            return try asker.order("picker items \(request)").filter { $0.hasPrefix("name: ") }
        }
        try await page.waitForOutput("ready")
        let pictures = try open("limit 3 prompt \"<b>For the kitchen</b>\"")
        try await page.waitForOutput("chose-pictures")
        #expect(try picked(pictures) == ["name: 4.jpg", "name: 2.jpg"])
        let song = try open("kind songs")
        try await page.waitForOutput("chose-song")
        #expect(try picked(song) == ["name: 2.flac"])
        let media = try open("kind media limit 2")
        try await page.waitForOutput("chose-media")
        #expect(try picked(media) == ["name: film.mp4", "name: 5.jpg"])
        let other = try open("kind songs limit 5")
        try await page.waitForOutput("gone")
        try asker.order("picker withdraw \(other)")
        let result = try await page.wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
    }

    @Test("a guest who sees a part of the library asks for more of it", .enabled(if: isSoak))
    func wishes() async throws {
        let stage = try await Stage()
        let owner = try await stage.startWithQueue().connect()
        let secret = try #require(try owner.values("clients password guest permissions read,add")["password"])
        try owner.order("clients set guest folder 0")
        let page = try stage.begin("wishes", secret)
        func take() throws -> String {
            let request = try #require(try owner.values("picking list")["request"])
            try owner.order("picking take \(request)")
            return request
        }
        try await page.waitForOutput("away")
        let request = try take()
        try owner.order("picking select \(request) 1/3.flac 1/4.flac")
        try owner.order("picking finish \(request)")
        try owner.order("setvol 41")
        try await page.waitForOutput("elsewhere")
        try owner.order("picking cancel \(take())")
        try await page.waitForOutput("artists")
        try owner.order("clients set guest folder 0 folder 2")
        try await page.waitForOutput("limited")
        try owner.order("clients set guest library all")
        let result = try await page.wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
    }

    @Test("a guest is invited, held to what was granted, and loses it again", .enabled(if: isSoak))
    func join() async throws {
        let stage = try await Stage()
        let server = try await stage.startWithQueue()
        let secret = try #require(try server.connect().values("clients password owner permissions all")["password"])
        let result = try await stage.begin("join", secret).wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
    }

    @Test("a page asks to be known, and is allowed and denied", .enabled(if: isSoak))
    func ask() async throws {
        let stage = try await Stage()
        let server = try await stage.startWithQueue("anonymous-permissions = \"none\"")
        let owner = try server.connect()
        let page = try stage.begin("ask")
        try await page.waitForOutput("code ")
        let code = try #require(try owner.values("pairing list")["code"])
        try await page.waitForOutput("code \(code)")
        try owner.order("pairing allow phone code \(code) permissions read,player")
        try await page.waitForOutput("again")
        #expect(try owner.values("clients show phone")["granted"] == "read,player")
        try owner.order("pairing deny other")
        let result = try await page.wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
    }

    @Test("an address without rights signs in, and is put out with its password", .enabled(if: isSoak))
    func strangers() async throws {
        let stage = try await Stage()
        let server = try await stage.startWithQueue("anonymous-permissions = \"none\"")
        let owner = try server.connect()
        let secret = try #require(
            try owner.values("clients password guest permissions read,player,outputs")["password"]
        )
        let page = try stage.begin("strangers", secret)
        try await page.waitForOutput("listening")
        try owner.order("clients forget guest")
        let result = try await page.wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
        let listeners = owner.ask("outputs").filter { $0.hasPrefix("attribute: listeners=") }
        #expect(listeners == ["attribute: listeners=0"])
    }

    @Test("the page opens while the server is away, and has its state when that is back", .enabled(if: isSoak))
    func offline() async throws {
        let stage = try await Stage()
        let server = try await stage.startWithQueue()
        let page = try stage.begin("offline")
        try await page.waitForOutput("ready")
        server.process.kill(SIGKILL)
        _ = try await server.process.wait()
        try await page.waitForOutput("lost")
        let next = try await stage.start()
        let result = try await page.wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
        #expect(next.process.isRunning)
    }

    @Test("the zone's stream is heard in the browser", .enabled(if: isSoak))
    func listen() async throws { try await run("listen") }

    @Test(
        "Firefox shows it as well",
        .enabled(if: isSoak),
        .enabled("firefox-esr is missing") { ChildProcess.missing("firefox-esr", "/usr/bin/python3").isEmpty }
    )
    func firefox() async throws {
        let stage = try await Stage()
        let server = try await stage.startWithQueue()
        let result = try await stage.beginFirefox().wait()
        #expect(result.status == .code(0) && result.outputText.contains("good"), "\(result.errorText.suffix(2_000))")
        #expect(try server.connect().values("status")["state"] == "play")
    }

    @Test("a server goes and comes back, and the page shows its state without being loaded again", .enabled(if: isSoak))
    func restart() async throws {
        let stage = try await Stage()
        let server = try await stage.startWithQueue()
        let page = try stage.begin("restart")
        try await page.waitForOutput("ready")
        server.process.kill(SIGKILL)
        _ = try await server.process.wait()
        try await page.waitForOutput("lost")
        let next = try await stage.start()
        try next.connect().order("setvol 23")
        let result = try await page.wait()
        #expect(result.status == .code(0), "\(result.errorText.suffix(2_000))")
    }
}

/// Songs with covers, some of whose tags are markup, very long, or written from right to left.
enum PageMusic {
    private static let songs: [(artist: String, album: String, title: String)] = [
        ("Can", "Ege Bamyasi", "Pinch"), ("Can", "Ege Bamyasi", "Sing Swan Song"), ("Can", "Ege Bamyasi", "Spoon"),
        ("Neu!", "Neu! 75", "Isi"), ("Neu!", "Neu! 75", "Leb' wohl"), ("فيروز", "وحدن", "نسم علينا الهوى"),
        (
            "<img src=x onerror='window.owned=1'>", "\"><script>window.owned=1</script>",
            "<svg onload='window.owned=1'>" + String(repeating: " long", count: 2_000)
        ),
        ("javascript:window.owned=1", "\u{202e}desrever", "{title} $& \\' \" ] ) AND"),
    ]

    private static let chapters = [
        "CHAPTER001=00:00:00.000", "CHAPTER001NAME=One", "CHAPTER002=00:01:40.000", "CHAPTER002NAME=<b>Two</b>",
    ]

    static func make() async throws -> TemporaryFolder {
        let folder = try TemporaryFolder()
        for (number, song) in songs.enumerated() {
            let place = "\(folder.path)/\(number / 3)"
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            if number % 3 == 0 {
                let cover = try ChildProcess(
                    "ffmpeg",
                    [
                        "-loglevel", "error", "-f", "lavfi", "-i", "color=c=teal:s=300x300", "-frames:v", "1",
                        place + "/cover.jpg",
                    ]
                )
                try #require(await cover.wait().status == .code(0))
            }
            var tags = ["artist=\(song.artist)", "album=\(song.album)", "title=\(song.title)", "track=\(number + 1)"]
            if song.title == "Isi" { tags += chapters }
            let process = try ChildProcess(
                "ffmpeg",
                [
                    "-loglevel", "error", "-f", "lavfi", "-i",
                    "sine=frequency=\(300 + number * 50):sample_rate=8000:duration=300",
                ]
                    + tags.flatMap { ["-metadata", $0] } + ["\(place)/\(number).flac"]
            )
            try #require(await process.wait().status == .code(0))
        }
        let lyrics = "[00:01.00]First line\n[00:50.00]<b>Second</b> line\n[04:00.00]Third line\n"
        try folder.write("0/0.lrc", lyrics)
        return folder
    }
}
