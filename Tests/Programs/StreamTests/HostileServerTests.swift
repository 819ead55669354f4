import Foundation
import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// Servers that lie, err or mean harm: a clear error, bounded memory, and the next item plays.
    @Suite(.blocking) struct HostileServerTests {
        private struct Case: Sendable {
            var name: String
            /// One of these words is in the error.
            var words: [String]
            var answer: @Sendable (HostileServer.Exchange) -> Void
        }

        private static let cases: [Case] = [
            Case(name: "endless headers", words: ["too much data"]) { exchange in
                exchange.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\n")
                let line = String(repeating: "X-Filler: \(String(repeating: "a", count: 1000))\r\n", count: 100)
                while exchange.send(line) {}
            },
            Case(name: "one endless header", words: ["too much data"]) { exchange in
                exchange.send("HTTP/1.1 200 OK\r\nX-Filler: ")
                let line = String(repeating: "a", count: 100_000)
                while exchange.send(line) {}
            },
            Case(name: "an endless playlist", words: ["too much data"]) { exchange in
                exchange.send("HTTP/1.0 200 OK\r\nContent-Type: audio/x-mpegurl\r\n\r\n#EXTM3U\n")
                let lines = String(repeating: "# nothing of interest, again and again\n", count: 1000)
                while exchange.send(lines) {}
            },
            Case(name: "a gzip bomb as a playlist", words: ["too much data"]) { exchange in
                exchange.answer("200 OK", "audio/x-mpegurl", bomb, headers: ["Content-Encoding: gzip"])
            },
            Case(name: "redirects in a circle", words: ["redirect"]) { exchange in
                exchange.answer("302 Found", "text/html", headers: ["Location: \(exchange.path)x"])
            },
            Case(name: "a redirect to a file", words: ["redirect", "refused", "not allowed", "file"]) { exchange in
                exchange.answer("302 Found", "text/html", headers: ["Location: file:///etc/passwd"])
            },
            Case(name: "a playlist of itself", words: ["itself", "playlist", "nested"]) { exchange in
                exchange.answer("200 OK", "audio/x-mpegurl", Array("#EXTM3U\nitem\n".utf8))
            },
            Case(name: "ever more playlists", words: ["playlist", "nested", "deep"]) { exchange in
                let text = "#EXTM3U\n\(exchange.path.dropFirst())x.m3u\n\(exchange.path.dropFirst())y.m3u\n"
                exchange.answer("200 OK", "audio/x-mpegurl", Array(text.utf8))
            },
            Case(name: "a body that is too short", words: ["closed", "early", "short", "incomplete", "cut"]) {
                exchange in
                exchange.answer("200 OK", "audio/mpeg", [0xff, 0xfb, 0x90, 0x64], length: 100_000)
            },
            Case(name: "an empty body", words: ["not a media file"]) {
                $0.answer()
            },
            Case(name: "HTML as MP3", words: ["a web page, not media"]) {
                exchange in
                let page = "<!DOCTYPE html><html><head><title>Log in</title></head><body>"
                let text = page + String(repeating: "<p>Please log in to go on.</p>\n", count: 2000) + "</body></html>"
                exchange.answer("200 OK", "audio/mpeg", Array(text.utf8))
            },
            Case(name: "no HTTP", words: ["HTTP", "protocol", "understood"]) { $0.send("SSH-2.0-OpenSSH_9.2p1\r\n") },
            Case(name: "a reset", words: ["reset"]) { $0.reset() },
            Case(name: "an end without a word", words: ["closed", "empty", "no answer"]) { _ in },
            Case(name: "404", words: ["404"]) { $0.answer("404 Not Found", "text/html") },
            Case(name: "410", words: ["410"]) { $0.answer("410 Gone", "text/html") },
            Case(name: "401", words: ["401"]) { $0.answer("401 Unauthorized", "text/html") },
            Case(name: "500", words: ["500"]) { $0.answer("500 Oops", "text/html") },
        ]

        /// Sixty-four million characters of comments.
        private static let bomb: [UInt8] = {
            let zip = try? ChildProcess.run("bash", ["-c", "yes '#' | head -c 64000000 | gzip -9"])
            return zip?.output ?? []
        }()

        /// Packs the bomb before anybody waits for it.
        @MediaWork private static func prepare() { #expect(!bomb.isEmpty) }

        @Test(arguments: cases.map(\.name)) func theNextItemPlays(_ name: String) async throws {
            await Self.prepare()
            let test = try #require(Self.cases.first { $0.name == name })
            let server = try HostileServer(test.answer)
            let next = try await MediaFixtures.position(.flac, seconds: 2)
            let url = server.url("item").replacingOccurrences(of: "http://", with: "http://user:secret@")
            let words = ["--reconnect-for", "1", url, next]
            let heard = try await Programs.samples(words, within: .seconds(25))
            #expect(heard.seconds.order == [0, 1], "\(heard.errors)")
            #expect(test.words.contains { heard.errors.localizedCaseInsensitiveContains($0) }, "\(heard.errors)")
            #expect(!heard.errors.contains("secret"), "\(heard.errors)")
            #expect(heard.errors.split(separator: "\n").count == 1, "\(heard.errors)")
            #expect(heard.result.status == .code(1))
            #expect(heard.time < 15)
        }

        /// An address that refuses to connect holds nothing up that follows it, without an option.
        @Test func aRefusalIsTriedTwice() async throws {
            await Self.prepare()
            let server = try await WebServer.start()
            let url = server.url("item")
            server.stop()
            let next = try await MediaFixtures.position(.flac, seconds: 2)
            let heard = try await Programs.samples([url, next])
            #expect(heard.seconds.order == [0, 1], "\(heard.errors)")
            #expect(heard.errors.contains("onnection refused"), "\(heard.errors)")
            #expect(heard.result.status == .code(1))
        }

        /// A body that never amounts to anything, and a head that never ends: given up after a while.
        @Test(arguments: ["head", "body"]) func aByteASecond(part: String) async throws {
            let file = try FileBytes.read(await MediaFixtures.position(.mp3, seconds: 3))
            let server = try HostileServer { exchange in
                var bytes = Array(
                    "HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nContent-Length: \(file.count)\r\n".utf8
                )
                if part == "body" {
                    exchange.send(bytes + [13, 10])
                    bytes = file
                }
                for byte in bytes { guard exchange.send([byte]), exchange.pause(1) else { return } }
            }
            let next = try await MediaFixtures.position(.flac, seconds: 2)
            let heard = try await Programs.samples(["--reconnect-for", "1", server.url("item"), next])
            #expect(heard.seconds.order == [0, 1], "\(heard.errors)")
            #expect(heard.errors.contains("127.0.0.1"), "\(heard.errors)")
        }

        /// A station that tells a new title with every byte.
        @Test func moreTitlesThanSound() async throws {
            let file = try FileBytes.read(await MediaFixtures.position(.mp3, seconds: 60))
            let server = try HostileServer { exchange in
                exchange.send("HTTP/1.1 200 OK\r\nContent-Type: audio/mpeg\r\nicy-name: Bomb\r\nicy-metaint: 1\r\n\r\n")
                let title = Array("StreamTitle='\(String(repeating: "x", count: 4_000))';".utf8)
                let block = [255] + title + [UInt8](repeating: 0, count: 255 * 16 - title.count)
                for start in stride(from: 0, to: file.count, by: 64) {
                    guard exchange.send(Array(file[start...].prefix(64).flatMap { [$0] + block })) else { return }
                }
            }
            let player = try await StreamPlayer([server.url("radio")])
            _ = await server.state.wait(within: .patience) { $0.bytes > 800_000_000 }
            #expect(server.state.current.bytes > 800_000_000)
            let memory = try player.process.residentBytes()
            #expect(memory < 150_000_000, "\(memory)")
            player.process.kill(SIGKILL)
            _ = try await player.process.wait(within: .patience)
        }

        /// What is temporary is tried again, when the server says so; what is final is not.
        @Test(arguments: [429, 503, 500, 404, 403])
        func statuses(status: Int) async throws {
            let fault = try #require(WebServer.Fault(rawValue: status))
            let isTemporary = status == 429 || status >= 500
            let web = try await WebServer.start()
            let url = try web.publish(await MediaFixtures.position(.flac, seconds: 2), as: "a.flac")
            try web.fail("a.flac", with: fault)
            async let playing = Programs.samples(["--reconnect-for", "20", url])
            // Its turn may come late.
            try await web.waitForRequests(within: .seconds(90)) { $0.count >= (isTemporary ? 2 : 1) }
            web.mend("a.flac")
            let heard = try await playing
            #expect(heard.seconds.order == (isTemporary ? [0, 1] : []), "\(heard.errors)")
            #expect(heard.result.status == .code(isTemporary ? 0 : 1))
            let requests = web.requests(of: "a.flac").filter { $0.status == status }
            if [429, 503].contains(status) {
                // `Retry-After` says a second.
                for (earlier, later) in zip(requests, requests.dropFirst()) { #expect(later.end - earlier.end > 0.95) }
            }
            if !isTemporary { #expect(requests.count == 1) }
        }

        @Test(arguments: [
            ("http://radio.invalid/a.mp3", ["resolve", "not found", "name"]),
            ("http://127.0.0.1:9/a.mp3", ["refused"]),
        ])
        func nobodyThere(url: String, words: [String]) async throws {
            let next = try await MediaFixtures.position(.flac, seconds: 2)
            let heard = try await Programs.samples(["--reconnect-for", "1", url, next])
            #expect(heard.seconds.order == [0, 1], "\(heard.errors)")
            #expect(words.contains { heard.errors.localizedCaseInsensitiveContains($0) }, "\(heard.errors)")
        }
    }
}
