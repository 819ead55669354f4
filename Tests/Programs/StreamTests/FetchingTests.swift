import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// What comes over the network is, sample by sample, what the file is.
    @Suite(.blocking) struct FetchingTests {
        private static let codecs: [MediaFixtures.Codec] = [.wav, .flac, .mp3, .mp3VBR, .m4a, .opus, .vorbis]
        private static let seconds = 8

        private func file(_ codec: MediaFixtures.Codec = .flac) async throws -> String {
            try await MediaFixtures.position(codec, seconds: Self.seconds)
        }

        private func expectSame(_ words: [String], as file: String) async throws {
            let heard = try await Programs.samples(words)
            let expected = try await Programs.samples([file])
            #expect(!expected.bytes.isEmpty)
            #expect(heard.difference(from: expected) == nil, "\(heard.seconds.text) \(heard.errors)")
            #expect(heard.result.status == .code(0))
        }

        @Test(arguments: codecs) func codec(_ codec: MediaFixtures.Codec) async throws {
            let web = try await WebServer.start()
            let file = try await file(codec)
            try await expectSame([web.publish(file, as: "a.\(codec.fileExtension)")], as: file)
        }

        /// A file, and a playlist whose segments are named relative to it.
        @Test(.enabled("there is no IPv6 here") { WebServer.hasIPv6 }) func overIPv6() async throws {
            let web = try await WebServer.start()
            let file = try await file()
            try web.publish(file, as: "a.flac")
            try await expectSame([web.url6("a.flac")], as: file)
            try await web.publish(folder: NetworkMaterial.segments(.encrypted, seconds: Self.seconds), as: "hls")
            let heard = try await Programs.samples([web.url6("hls/index.m3u8")])
            #expect(heard.seconds.faults().isEmpty, "\(heard.seconds.text) \(heard.errors)")
            #expect(heard.seconds.order == Array(0..<Self.seconds))
        }

        /// Connections that are lost in the middle are taken up at the same byte.
        @Test(arguments: codecs, [Relay.Loss.end, .reset])
        func lostConnections(_ codec: MediaFixtures.Codec, _ loss: Relay.Loss) async throws {
            let web = try await WebServer.start()
            let relay = try Relay(to: web.port)
            let file = try await file(codec)
            relay.cut(Relay.Cutting(loss, after: 4_000...25_000, count: 4))
            try await expectSame([relay.url(web.publish(file, as: "a.\(codec.fileExtension)"))], as: file)
            #expect(relay.state.current.cuts > 0)
        }

        /// Where a server does not serve ranges, it is read on and what was heard is dropped.
        @Test(arguments: [MediaFixtures.Codec.flac, .mp3, .opus])
        func lostConnectionsWithoutRanges(_ codec: MediaFixtures.Codec) async throws {
            let web = try await WebServer.start(.whole("whole/"))
            let relay = try Relay(to: web.port)
            let file = try await file(codec)
            let name = "a.\(codec.fileExtension)"
            try web.publish(file, as: name)
            relay.cut(Relay.Cutting(.end, .reset, after: 30_000...60_000, count: 3))
            try await expectSame([relay.url(web.url("whole/\(name)"))], as: file)
            #expect(relay.state.current.cuts == 3)
        }

        @Test(arguments: [301, 302, 303, 307, 308]) func redirects(status: Int) async throws {
            let web = try await WebServer.start(
                .redirect("one/", to: "/two/$1", status: status),
                .redirect("two/", to: "/three/$1", status: status),
                .redirect("three/", to: "/$1", status: status)
            )
            let file = try await file(.mp3)
            try web.publish(file, as: "a.mp3")
            try await expectSame([web.url("one/a.mp3")], as: file)
        }

        @Test func basicAuthentication() async throws {
            let web = try await WebServer.start(.closed("closed/", user: "me:t@p secret"))
            let file = try await file()
            try web.publish(file, as: "a.flac")
            try await expectSame([web.url("closed/a.flac", user: "me:t%40p%20secret")], as: file)
            #expect(web.requests(of: "closed/a.flac").last?.user == "me")
        }

        @Test func headersAndUserAgent() async throws {
            let web = try await WebServer.start(.header("key/", "X-Key", "open sesame"))
            let file = try await file()
            try web.publish(file, as: "a.flac")
            let options = ["--header", "X-Key: open sesame", "--user-agent", "Tester/1"]
            try await expectSame(options + [web.url("key/a.flac")], as: file)
            #expect(web.requests(of: "key/a.flac").allSatisfy { $0.userAgent == "Tester/1" })
        }

        /// A header for one server is not told another one.
        @Test func headersStayWithTheirServer() async throws {
            let other = try await WebServer.start(.header("", "X-Key", ""))
            let file = try await file()
            try other.publish(file, as: "a.flac")
            let web = try await WebServer.start(.redirect("go/", to: other.url("$1")))
            try await expectSame(["--header", "X-Key: mine", web.url("go/a.flac")], as: file)
        }

        /// Nor is it told whom a playlist of the first names, known by its name or by what is in it.
        @Test(arguments: ["a.m3u", "a"]) func headersStayWithTheServerOfAPlaylist(name: String) async throws {
            let other = try await WebServer.start(.header("", "X-Key", ""))
            let file = try await file()
            let text = try "#EXTM3U\n#EXTINF:-1,a\n\(other.publish(file, as: "a.flac"))\n"
            let web = try await WebServer.start(.header("key/", "X-Key", "mine"))
            try web.publish(text: text, as: name)
            try await expectSame(["--header", "X-Key: mine", web.url("key/\(name)")], as: file)
        }

        @Test func proxyOfTheEnvironment() async throws {
            let file = try await file()
            let bytes = try FileBytes.read(file)
            let proxy = try HostileServer { $0.answer("200 OK", "audio/flac", bytes) }
            let words = ["http://radio.invalid/a.flac"]
            let heard = try await Programs.samples(words, environment: ["http_proxy": proxy.url("")])
            #expect(try await heard.difference(from: Programs.samples([file])) == nil)
            #expect(proxy.state.current.requests.first?.contains("http://radio.invalid/a.flac") == true)
        }

        /// A proxy that does not connect us is named, without its password.
        @Test(arguments: ["403 Forbidden", "407 Proxy Authentication Required", "502 Bad Gateway"])
        func aProxyThatRefuses(answer: String) async throws {
            let proxy = try HostileServer { $0.answer(answer, "text/plain") }
            let status = answer.prefix(3)
            // What may be otherwise later is tried again.
            let words = (status == "502" ? ["--reconnect-for", "0"] : []) + ["https://radio.invalid/a.flac"]
            let environment = ["https_proxy": "http://me:secret@127.0.0.1:\(proxy.port)"]
            let heard = try await Programs.samples(words, environment: environment)
            let expected = "https://radio.invalid/a.flac: the proxy 127.0.0.1:\(proxy.port) says \(status)"
            #expect(heard.errors.contains(expected), "\(heard.errors)")
            #expect(!heard.errors.contains("secret"))
            #expect(heard.result.status == .code(1))
            #expect(proxy.state.current.requests.count == 1)
        }

        @Test(arguments: ["http", "https"]) func aProxyThatIsNotThere(scheme: String) async throws {
            let place = "127.0.0.1:\(try steadyPort())"
            let heard = try await Programs.samples(
                ["--reconnect-for", "0", "\(scheme)://radio.invalid/a.flac"],
                environment: ["\(scheme)_proxy": "http://me:secret@\(place)"]
            )
            #expect(heard.errors.contains("the proxy \(place): connection refused"), "\(heard.errors)")
            #expect(!heard.errors.contains("secret"))
        }

        /// In any locale, and through a proxy, since no resolver here knows the host.
        @Test(arguments: ["C", "C.UTF-8"]) func namesOfHostsBeyondASCII(locale: String) async throws {
            let file = try await file()
            let bytes = try FileBytes.read(file)
            let proxy = try HostileServer { $0.answer("200 OK", "audio/flac", bytes) }
            let environment = ["http_proxy": proxy.url(""), "LC_ALL": locale]
            let heard = try await Programs.samples(["http://bücher.example/a.flac"], environment: environment)
            #expect(try await heard.difference(from: Programs.samples([file])) == nil, "\(heard.errors)")
            let request = proxy.state.current.requests.first
            #expect(request?.contains("http://xn--bcher-kva.example/a.flac") == true, "\(request ?? "")")
        }

        @Test func certificates() async throws {
            let web = try await WebServer.start(isSecure: true)
            let file = try await file()
            let url = try web.publish(file, as: "a.flac")
            let refused = try await Programs.samples([url])
            #expect(refused.bytes.isEmpty)
            #expect(refused.errors.contains("certificate"), "\(refused.errors)")
            #expect(refused.result.status == .code(1))
            try await expectSame(["--insecure", url], as: file)
        }

        /// Bodies of unknown length end with their connection; WAV and FLAC as if their length was not known either.
        @Test(arguments: [MediaFixtures.Codec.wav, .flac, .opus, .mp3, .adts])
        func bodiesWithoutALength(_ codec: MediaFixtures.Codec) async throws {
            let file = try await file(codec)
            let bytes = try FileBytes.read(file)
            let server = try HostileServer { exchange in
                exchange.send("HTTP/1.0 200 OK\r\nContent-Type: application/octet-stream\r\n\r\n")
                exchange.send(bytes)
            }
            let heard = try await Programs.samples(["--reconnect-for", "0", server.url("a")])
            #expect(heard.seconds.faults().isEmpty, "\(heard.seconds.text)")
            #expect(heard.seconds.order == Array(0..<Self.seconds), "\(heard.errors)")
        }

        // MARK: Segments

        @Test(arguments: NetworkMaterial.Segments.allCases)
        func segments(_ form: NetworkMaterial.Segments) async throws {
            let web = try await WebServer.start()
            let folder = try await NetworkMaterial.segments(form, seconds: 9)
            let url = try web.publish(folder: folder, as: "a") + "/\(form.index)"
            let heard = try await Programs.samples([url])
            #expect(heard.seconds.faults().isEmpty, "\(heard.seconds.text) \(heard.errors)")
            #expect(heard.seconds.order == Array(0..<9))
        }

        @Test(arguments: NetworkMaterial.Segments.allCases)
        func segmentsOverABadNetwork(_ form: NetworkMaterial.Segments) async throws {
            let web = try await WebServer.start()
            let relay = try Relay(to: web.port)
            let folder = try await NetworkMaterial.segments(form, seconds: 9)
            let url = try web.publish(folder: folder, as: "a") + "/\(form.index)"
            relay.cut(Relay.Cutting(.end, .reset, after: 5_000...40_000, count: 4))
            let heard = try await Programs.samples([relay.url(url)])
            #expect(heard.seconds.faults().isEmpty, "\(heard.seconds.text) \(heard.errors)")
            #expect(heard.seconds.order == Array(0..<9))
            #expect(relay.state.current.cuts > 0)
        }

        @Test func bitRateOfAVariant() async throws {
            let web = try await WebServer.start()
            let url = try await web.publish(folder: NetworkMaterial.variants([64, 128, 256], seconds: 9), as: "a")
            let heard = try await Programs.samples(["--max-bitrate", "100k", "\(url)/index.m3u8"])
            #expect(heard.seconds.order == Array(0..<9), "\(heard.errors)")
            #expect(web.requests.contains { $0.path == "/a/64/1.ts" })
            #expect(!web.requests.contains { $0.path.hasPrefix("/a/256/") && $0.path.hasSuffix(".ts") })
        }

        // MARK: Changes

        /// A file that is another one after an outage is not spliced with the first.
        @Test func aChangedFileIsNoticed() async throws {
            let web = try await WebServer.start()
            let relay = try Relay(to: web.port)
            let url = try relay.url(web.publish(await MediaFixtures.position(.wav, seconds: 8), as: "a.wav"))
            let other = try await MediaFixtures.audio("other-tone", .wav) {
                Signal.tone(3000, seconds: 9, sampleRate: 44_100)
            }
            relay.stall()
            relay.cut(Relay.Cutting(.end, after: 400_000...400_000, count: 1))
            async let playing = Programs.samples(["--reconnect-for", "5", url])
            _ = await relay.state.wait(within: .seconds(90)) { $0.accepted == 1 }
            relay.close()
            relay.release()
            _ = await relay.state.wait(within: .seconds(90)) { $0.cuts == 1 }
            try web.publish(other, as: "a.wav")
            try relay.reopen()
            let heard = try await playing
            #expect(heard.errors.contains("changed"), "\(heard.errors)")
            #expect(heard.seconds.order.allSatisfy { $0 < 8 }, "\(heard.seconds.text)")
        }
    }
}
