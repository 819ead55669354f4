import Foundation
import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// MPEG-DASH as FFmpeg's muxer writes it, and as others do.
    @Suite(.blocking) struct DASHTests {
        private static let seconds = 9

        /// A presentation on a server.
        private func publish(
            _ form: NetworkMaterial.DASH,
            on web: WebServer,
            seconds: Int = seconds,
            kilobits: [Int] = [128]
        ) async throws -> String {
            let folder = try await NetworkMaterial.dash(form, seconds: seconds, kilobits: kilobits)
            return try web.publish(folder: folder, as: "a") + "/index.mpd"
        }

        /// What is heard of the file that the segments are cut from.
        private func whole(_ form: NetworkMaterial.DASH) async throws -> Samples {
            let folder = try await NetworkMaterial.dash(form, seconds: Self.seconds)
            let manager = FileManager.default
            let names = try manager.contentsOfDirectory(atPath: folder).filter { !$0.hasSuffix(".mpd") }
            // The initialisation section is the first: "init-0.mp4" comes after "0-1.m4s".
            let order = names.sorted { ($0.hasPrefix("init") ? "" : $0) < ($1.hasPrefix("init") ? "" : $1) }
            let bytes = try order.flatMap { try FileBytes.read("\(folder)/\($0)") }
            let own = try TemporaryFolder()
            return try await Programs.samples([try own.write(form.isWebM ? "whole.webm" : "whole.mp4", bytes)])
        }

        @Test(arguments: NetworkMaterial.DASH.allCases) func everySampleIsHeard(
            _ form: NetworkMaterial.DASH
        ) async throws {
            let web = try await WebServer.start()
            let heard = try await Programs.samples([publish(form, on: web)])
            let whole = try await whole(form)
            #expect(!whole.bytes.isEmpty)
            #expect(heard.difference(from: whole) == nil, "\(heard.seconds.text) \(heard.errors)")
            #expect(heard.seconds.order == Array(0..<Self.seconds))
            #expect(heard.errors.isEmpty && heard.result.status == .code(0))
            let requests = try await web.waitForRequests { $0.count >= 2 }
            #expect(Set(requests.map(\.connection)).count == 1)
        }

        @Test(arguments: NetworkMaterial.DASH.allCases)
        func overABadNetwork(_ form: NetworkMaterial.DASH) async throws {
            let web = try await WebServer.start()
            let relay = try Relay(to: web.port)
            let url = try await publish(form, on: web)
            relay.cut(Relay.Cutting(.end, .reset, after: 5_000...40_000, count: 4))
            let heard = try await Programs.samples([relay.url(url)])
            #expect(try await heard.difference(from: whole(form)) == nil, "\(heard.seconds.text) \(heard.errors)")
            #expect(relay.state.current.cuts > 0)
        }

        @Test(arguments: NetworkMaterial.DASH.allCases) func aSeek(_ form: NetworkMaterial.DASH) async throws {
            let web = try await WebServer.start()
            let url = try await publish(form, on: web, seconds: 60)
            let heard = try await Programs.samples(["--start", "40.25", "--end", "45", url])
            #expect(heard.seconds.order == [40, 41, 42, 43, 44], "\(heard.errors)")
            #expect(abs((heard.seconds.stretches.first?.duration ?? 0) - 0.75) < 0.06, "\(heard.seconds.text)")
            // All are some 960,000; what was asked for and not taken may lie in the system's buffers.
            let bytes = web.requests.reduce(0) { $0 + $1.bytes }
            #expect(bytes < 900_000, "\(bytes) bytes were sent")
        }

        @Test func aMissingSegmentIsLeftOut() async throws {
            let web = try await WebServer.start()
            let url = try await publish(.timeline, on: web)
            try web.fail("a/0-3.m4s", with: .missing)
            let heard = try await Programs.samples([url])
            // Two seconds of the nine are in the third segment.
            #expect(
                heard.seconds.order == [0, 1, 2, 3, 4, 5, 6, 7, 8].filter { ![4, 5].contains($0) },
                "\(heard.errors)"
            )
            #expect(heard.result.status == .code(0))
        }

        // MARK: Certificates

        @Test(arguments: [true, false])
        func certificatesOfSegments(isManifestSecure: Bool) async throws {
            let secure = try await WebServer.start(isSecure: true)
            let plain = try await WebServer.start()
            let url = try await publish(.timeline, on: secure)
            var manifest = url
            if !isManifestSecure {
                let folder = try await NetworkMaterial.dash(.timeline, seconds: Self.seconds)
                let text = try String(contentsOfFile: "\(folder)/index.mpd", encoding: .utf8)
                let base = "<BaseURL>\(secure.url("a/"))</BaseURL><Period"
                manifest = try plain.publish(text: text.replacingOccurrences(of: "<Period", with: base), as: "b.mpd")
            }
            let refused = try await Programs.samples([manifest])
            #expect(refused.bytes.isEmpty && refused.errors.contains("certificate"), "\(refused.errors)")
            #expect(refused.result.status == .code(1))
            let heard = try await Programs.samples(["--insecure", manifest])
            #expect(try await heard.difference(from: whole(.timeline)) == nil, "\(heard.errors)")
        }

        // MARK: Bandwidth

        @Test func aLimitChooses() async throws {
            let web = try await WebServer.start()
            let url = try await publish(.timeline, on: web, kilobits: [64, 192])
            let heard = try await Programs.samples(["--max-bitrate", "100k", url])
            #expect(heard.seconds.order == Array(0..<Self.seconds), "\(heard.errors)")
            #expect(web.requests.contains { $0.path == "/a/0-1.m4s" })
            #expect(!web.requests.contains { $0.path.hasPrefix("/a/1-") })
        }

        /// A stream whose throughput no longer carries its representation goes on with another.
        @Test func anotherRepresentation() async throws {
            let web = try await WebServer.start(.slow("slow/", rate: 14_000, after: 20_000))
            _ = try await publish(.timeline, on: web, seconds: 40, kilobits: [64, 256])
            let player = try await StreamPlayer(["--buffer", "6", web.url("slow/a/index.mpd")])
            try await player.waitForSecond(20, within: 60)
            let heard = player.heard()
            #expect(heard.faults().isEmpty, "\(heard.text)")
            #expect(web.requests.contains { $0.path.hasSuffix("/1-1.m4s") })
            #expect(web.requests.contains { $0.path.contains("/0-") && $0.path.hasSuffix(".m4s") })
            try await player.quit()
        }

        // MARK: Periods

        /// One sound in two periods that are cut where no segment ends: every second is heard once.
        @Test func periods() async throws {
            let web = try await WebServer.start()
            let folder = try await NetworkMaterial.dash(.timeline, seconds: Self.seconds)
            try web.publish(folder: folder, as: "a")
            let text = try String(contentsOfFile: "\(folder)/index.mpd", encoding: .utf8)
            let start = try #require(text.range(of: "<AdaptationSet")?.lowerBound)
            let end = try #require(text.range(of: "</AdaptationSet>")?.upperBound)
            let set = String(text[start..<end])
            let later = set.replacingOccurrences(
                of: "<SegmentTemplate ",
                with: "<SegmentTemplate presentationTimeOffset=\"240000\" "
            )
            try web.publish(
                text: """
                    <MPD mediaPresentationDuration="PT9S"><Period duration="PT5S">\(set)</Period>
                    <Period>\(later)</Period></MPD>
                    """,
                as: "a/periods.mpd"
            )
            let heard = try await Programs.samples([web.url("a/periods.mpd")])
            #expect(heard.seconds.order == Array(0..<Self.seconds), "\(heard.seconds.text) \(heard.errors)")
            #expect(heard.seconds.faults().isEmpty, "\(heard.seconds.text)")
            #expect(abs(heard.bytes.count - (try await whole(.timeline)).bytes.count) <= 4)
        }

        // MARK: Faults

        @Test(arguments: [
            (
                "<ContentProtection schemeIdUri=\"urn:mpeg:dash:mp4protection:2011\" value=\"cenc\"/>",
                "encrypted by Common Encryption"
            ),
            ("<BaseURL>file:///etc/</BaseURL>", "a file: location"),
        ])
        func whatCannotBePlayed(element: String, words: String) async throws {
            let web = try await WebServer.start()
            let folder = try await NetworkMaterial.dash(.timeline, seconds: Self.seconds)
            let text = try String(contentsOfFile: "\(folder)/index.mpd", encoding: .utf8)
            let set = try #require(text.range(of: "<AdaptationSet[^>]*>", options: .regularExpression))
            try web.publish(folder: folder, as: "a")
            try web.publish(text: text.replacingCharacters(in: set, with: text[set] + element), as: "a/b.mpd")
            let next = try await MediaFixtures.position(.flac, seconds: 2)
            let heard = try await Programs.samples([web.url("a/b.mpd"), next])
            #expect(heard.errors.contains(words), "\(heard.errors)")
            #expect(heard.seconds.order == [0, 1])
            #expect(heard.result.status == .code(1))
        }

        @Test func aRecording() async throws {
            let web = try await WebServer.start()
            let folder = try TemporaryFolder()
            let heard = try await Programs.samples(["--record", folder.file("a.m4a"), publish(.timeline, on: web)])
            let recorded = try await Programs.samples([folder.file("a.m4a")])
            #expect(recorded.seconds.order == Array(0..<Self.seconds), "\(heard.errors) \(recorded.errors)")
        }
    }
}
