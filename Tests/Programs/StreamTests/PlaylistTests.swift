import Foundation
import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// Playlists of the network, and what they must not lead to.
    @Suite(.blocking) struct PlaylistTests {
        private typealias Text = @Sendable (String) -> String

        private static let forms: [(name: String, type: String, text: Text)] = [
            ("a.m3u", "audio/x-mpegurl", { "#EXTM3U\n#EXTINF:-1,Station\n\($0)\n" }),
            ("a.m3u8", "application/octet-stream", { "\($0)\n" }),
            ("a.pls", "audio/x-scpls", { "[playlist]\nFile1=\($0)\nTitle1=Station\nNumberOfEntries=1\nVersion=2\n" }),
            (
                "a.xspf", "application/xspf+xml",
                {
                    "<?xml version=\"1.0\"?><playlist version=\"1\" xmlns=\"http://xspf.org/ns/0/\"><trackList>"
                        + "<track><location>\($0)</location></track></trackList></playlist>"
                }
            ),
            // Told by its content, whatever its name and type say.
            ("listen", "audio/mpeg", { "[playlist]\nFile1=\($0)\nNumberOfEntries=1\n" }),
            ("listen.mp3", "text/html", { "#EXTM3U\n\($0)\n" }),
        ]

        @Test(arguments: forms.map(\.name)) func isFollowed(_ name: String) async throws {
            let form = try #require(Self.forms.first { $0.name == name })
            let web = try await WebServer.start(.type("typed/", form.type))
            let file = try await MediaFixtures.position(.flac, seconds: 3)
            let target = try web.publish(file, as: "music/a.flac")
            for location in [target, "../music/a.flac"] {
                try web.publish(text: form.text(location), as: name)
                let heard = try await Programs.samples([web.url("typed/\(name)")])
                #expect(heard.seconds.order == [0, 1, 2], "\(location): \(heard.errors)")
            }
        }

        /// Of several URLs of a station the first that plays is played.
        @Test func otherURLsOfAStation() async throws {
            let web = try await WebServer.start()
            let first = try web.publish(await MediaFixtures.position(.flac, seconds: 3), as: "a.flac")
            let list = try web.publish(
                text: "#EXTM3U\n#EXTINF:-1,Station\n\(web.url("gone.mp3"))\n\(first)\n",
                as: "station.m3u"
            )
            let heard = try await Programs.samples([list])
            #expect(heard.seconds.order == [0, 1, 2], "\(heard.errors)")
        }

        /// The name of a station in a list that only its type tells from a medium.
        @Test func nameOfAStation() async throws {
            let web = try await WebServer.start(.type("typed/", "audio/x-mpegurl"))
            let file = try web.publish(await MediaFixtures.position(.flac, seconds: 1), as: "a.flac")
            try web.publish(text: "#EXTM3U\n#EXTINF:-1,Radio Example - Top 40\n\(file)\n", as: "listen")
            let words = ["--json", "--output", "null:fast", web.url("typed/listen")]
            let result = try await Programs.play(words).wait(within: .patience)
            #expect(result.outputText.contains("\"station\":\"Radio Example - Top 40\""), "\(result.outputText)")
        }

        /// A list that only its content tells from a medium is played from its beginning to its end.
        @Test func aListOfSeveral() async throws {
            let web = try await WebServer.start()
            try web.publish(await MediaFixtures.position(.flac, seconds: 3), as: "a.flac")
            try web.publish(await MediaFixtures.position(.mp3, seconds: 2), as: "b.mp3")
            let lines = "#EXTM3U\n#EXTINF:3,One\na.flac\n#EXTINF:9,Gone\ngone.mp3\n#EXTINF:2,Two\nb.mp3\n"
            let heard = try await Programs.samples([try web.publish(text: lines, as: "listen")])
            #expect(heard.seconds.order == [0, 1, 2, 0, 1], "\(heard.errors)")
            #expect(heard.result.status == .code(0))
        }

        /// What a list names by relative paths is asked for as the list was: with user name and password.
        @Test func aListBehindAPassword() async throws {
            let file = try FileBytes.read(await MediaFixtures.position(.mp3, seconds: 2))
            let server = try HostileServer { exchange in
                guard exchange.head.contains("Authorization: Basic dXNlcjpzZWNyZXQ=") else {
                    return exchange.answer("401 Unauthorized", headers: ["WWW-Authenticate: Basic realm=\"x\""])
                }
                if exchange.path == "/listen" {
                    return exchange.answer("200 OK", "audio/mpeg", Array("#EXTM3U\na.mp3\n".utf8))
                }
                exchange.answer("200 OK", "audio/mpeg", file)
            }
            let url = server.url("listen").replacingOccurrences(of: "http://", with: "http://user:secret@")
            let heard = try await Programs.samples([url])
            #expect(heard.seconds.order == [0, 1], "\(heard.errors)")
        }

        // MARK: What remote lists must not reach

        /// How a remote document could name something local, whose path is in the place of `@`.
        private static let schemes = [
            "file://@", "file:@", "@", "concat:@", "subfile,,start,0,end,0,,:@", "cache:@", "async:@", "crypto:@",
            "concatf:@", "fd:0", "pipe:0", "data:audio/x-mpegurl,@", "unix:@", "FILE://@", "tee:@", "md5:@",
            "ffrtmphttp:@", "http:../../../../../../..@",
        ]

        private static let documents: [(name: String, text: Text)] = [
            ("a.m3u", { "#EXTM3U\n#EXTINF:10,x\n\($0)\n" }),
            ("a.pls", { "[playlist]\nFile1=\($0)\nNumberOfEntries=1\n" }),
            (
                "hls.m3u8",
                { "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:10,\n\($0)\n#EXT-X-ENDLIST\n" }
            ),
            (
                "key.m3u8",
                {
                    "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-KEY:METHOD=AES-128,URI=\"\($0)\"\n#EXTINF:10,\n"
                        + "secret.ts\n#EXT-X-ENDLIST\n"
                }
            ),
            (
                "map.m3u8",
                {
                    "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXT-X-MAP:URI=\"\($0)\"\n#EXTINF:10,\nnone.m4s\n#EXT-X-ENDLIST\n"
                }
            ),
            (
                "master.m3u8",
                { "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=100000\n\($0)\n" }
            ),
            (
                "a.mpd",
                {
                    """
                    <?xml version="1.0"?>
                    <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S"
                      profiles="urn:mpeg:dash:profile:isoff-on-demand:2011" minBufferTime="PT1S">
                    <Period><AdaptationSet mimeType="audio/mp4"><Representation id="0" bandwidth="128000">
                    <BaseURL>\($0)</BaseURL></Representation></AdaptationSet></Period></MPD>

                    """
                }
            ),
        ]

        @Test(arguments: documents.map(\.name)) func nothingLocalIsReached(_ name: String) async throws {
            let document = try #require(Self.documents.first { $0.name == name })
            let web = try await WebServer.start()
            let secret = try await MediaFixtures.position(.m4a, seconds: 3)
            var lists: [String] = []
            for (index, scheme) in Self.schemes.enumerated() {
                let location = scheme.replacingOccurrences(of: "@", with: secret)
                lists.append(try web.publish(text: document.text(location), as: "\(index)/\(name)"))
            }
            let heard = try await Programs.samples(["--reconnect-for", "0"] + lists)
            #expect(heard.bytes.isEmpty, "\(heard.seconds.text)")
            #expect(heard.result.status == .code(1))
            #expect(heard.errors.split(separator: "\n").count >= lists.count, "\(heard.errors)")
            // The same file is heard when it is named properly; DASH reads from the beginning on.
            let open = try await MediaFixtures.file("position-open.m4a") { path in
                try MediaFixtures.ffmpeg(["-i", secret, "-c", "copy", "-movflags", "+faststart", path])
            }
            try web.publish(open, as: "0/a.m4a")
            let proper = try web.publish(text: document.text("a.m4a"), as: "0/\(name)")
            if !name.hasPrefix("key"), !name.hasPrefix("m"), !name.hasPrefix("hls") {
                #expect(try await Programs.samples([proper]).seconds.order == [0, 1, 2])
            }
        }
    }
}
