import AudioTypes
import TestSupport
import TestThreads
import TestTiming
import Testing

extension StreamTests {
    /// Servers that go away and come back, heard at the monitor of a sound server.
    @Suite(.blocking) struct OutageTests {
        /// Plays on by itself at most a second after the return, with every second heard once and in order.
        @Test(.timed, arguments: [5.0, 30.0]) func aFile(outage: Double) async throws {
            // Little faster than it is played, so that no more than the buffer is on this side when it goes.
            let web = try await WebServer.start(.slow("slow/", rate: 27_000, after: 60_000))
            try web.publish(await MediaFixtures.position(.mp3, seconds: 60), as: "a.mp3")
            let player = try await StreamPlayer(["--buffer", "2", web.url("slow/a.mp3")])
            try await player.waitForSecond(3)
            web.stop()
            let gone = ContinuousClock.now
            try await player.waitForSilence()
            let dry = (ContinuousClock.now - gone).seconds
            #expect(player.isReconnecting, "\(player.told)")
            let spent = player.process.cpuSeconds
            let rest = max(0.5, outage - dry)
            try await player.hear(rest)
            #expect(player.process.cpuSeconds - spent < 0.01 * rest + 0.05)

            let back = ContinuousClock.now
            try await web.start()
            let delay = try await player.waitForSound(after: back)
            try expect(.seconds(delay), atMost: .seconds(2), since: back, "after an outage of \(outage) s")
            try await player.waitForSecond(15)
            let heard = player.heard()
            #expect(heard.faults().isEmpty, "\(heard.text)")
            #expect(heard.silences.count == 1, "\(heard.text)")
            #expect(!player.isReconnecting && player.waiting == nil, "\(player.told)")
            // It is told to play where it stood.
            let states = player.told.filter { $0.name == "status_changed" && $0.text["state"] != nil }
            let places = states.suffix(2).compactMap { $0.numbers["position"] }
            #expect(places.count == 2 && abs(places[1] - places[0]) < 0.3, "\(states)")
            try await player.quit()
        }

        /// What is in the buffer lasts: an outage that is shorter is not heard at all.
        @Test func aShortOutageIsNotHeard() async throws {
            let web = try await WebServer.start(.slow("slow/", rate: 30_000, after: 200_000))
            try web.publish(await MediaFixtures.position(.mp3, seconds: 60), as: "a.mp3")
            let player = try await StreamPlayer(["--buffer", "8", web.url("slow/a.mp3")])
            try await player.waitForSecond(2)
            web.stop()
            try await player.hear(3)
            try await web.start()
            try await player.waitForSecond(16)
            let heard = player.heard()
            #expect(heard.faults().isEmpty && heard.silences.isEmpty, "\(heard.text)")
            try await player.quit()
        }

        /// A server that is there but says nothing any more is one that is away.
        @Test func aFileWhoseServerFallsSilent() async throws {
            let web = try await WebServer.start(.slow("slow/", rate: 27_000, after: 60_000))
            let relay = try Relay(to: web.port)
            try web.publish(await MediaFixtures.position(.mp3, seconds: 60), as: "a.mp3")
            let player = try await StreamPlayer(["--buffer", "2", relay.url(web.url("slow/a.mp3"))])
            try await player.waitForSecond(3)
            relay.stall()
            try await player.waitForSilence()
            // New connections are silent, too, until all is well.
            try await player.wait(for: "reconnecting", within: .patience) { $0.name == "reconnecting" }
            relay.release()
            try await player.waitForSecond(12, within: 30)
            let heard = player.heard()
            #expect(heard.faults().isEmpty, "\(heard.text)")
            try await player.quit()
        }

        /// After the time given the item fails, and the next one plays.
        @Test func patienceEnds() async throws {
            let web = try await WebServer.start(.slow("slow/", rate: 27_000, after: 60_000))
            try web.publish(await MediaFixtures.position(.mp3, seconds: 60), as: "a.mp3")
            let next = try await MediaFixtures.position(.flac, seconds: 2)
            let words = ["--buffer", "1", "--reconnect-for", "2", web.url("slow/a.mp3"), next]
            let player = try await StreamPlayer(words)
            try await player.waitForSecond(2)
            web.stop()
            let failure = try await player.wait(for: "the failure") {
                ["item_failed", "item_damaged"].contains($0.name)
            }
            #expect(failure.text["message"]?.contains("refused") == true, "\(failure)")
            let result = try await player.process.wait(within: .patience)
            #expect(result.status == .code(1))
            #expect(player.heard().order.suffix(2) == [0, 1], "\(player.heard().text)")
        }

        /// So it does of what comes in segments.
        @Test(arguments: [NetworkMaterial.Segments.ts, .fmp4, .dash])
        func patienceEndsInSegments(_ form: NetworkMaterial.Segments) async throws {
            let web = try await WebServer.start()
            try web.publish(folder: try await NetworkMaterial.segments(form, seconds: 60), as: "vod")
            let next = try await MediaFixtures.position(.flac, seconds: 2)
            let words = ["--buffer", "2", "--reconnect-for", "1", web.url("vod/\(form.index)"), next]
            let player = try await StreamPlayer(words)
            try await player.waitForSecond(2)
            web.stop()
            let failure = try await player.wait(for: "the failure", within: .patience) { $0.name == "item_failed" }
            #expect(failure.text["message"]?.contains("refused") == true, "\(failure)")
            let result = try await player.process.wait(within: .patience)
            #expect(result.status == .code(1))
            #expect(player.heard().order.suffix(2) == [0, 1], "\(player.heard().text)")
        }

        /// A server that has lost what follows fails the item, however it puts it.
        @Test(arguments: [NetworkMaterial.Segments.ts, .dash], [WebServer.Fault.missing, .forbidden])
        func whatFollowsIsMissing(_ form: NetworkMaterial.Segments, _ fault: WebServer.Fault) async throws {
            let web = try await WebServer.start()
            try web.publish(folder: try await NetworkMaterial.segments(form, seconds: 18), as: "vod")
            // DASH counts from 1.
            for number in 4...10 {
                try web.fail("vod/\(form == .dash ? "\(number + 1).m4s" : "\(number).ts")", with: fault)
            }
            let heard = try await Programs.samples(["--reconnect-for", "1", web.url("vod/\(form.index)")])
            #expect(heard.seconds.order == Array(0..<8), "\(heard.seconds.text)")
            #expect(heard.result.status == .code(1))
            #expect(heard.errors.contains("\(fault.rawValue)"), "\(heard.errors)")
        }

        /// What was missing for a while is heard as if it had been there, to the sample.
        @Test(arguments: [NetworkMaterial.Segments.ts, .fmp4, .dash])
        func whatFollowsComesBack(_ form: NetworkMaterial.Segments) async throws {
            let web = try await WebServer.start()
            let url = try web.publish(folder: await NetworkMaterial.segments(form, seconds: 18), as: "vod")
            let whole = try await Programs.samples(["\(url)/\(form.index)"])
            let names = (4...10).map { form == .ts ? "vod/\($0).ts" : "vod/\(form == .dash ? $0 + 1 : $0).m4s" }
            for name in names { try web.fail(name, with: .missing) }
            let third = "/\(names[2])"
            let count = web.requests.count { $0.path == third }
            async let playing = Programs.samples(["\(url)/\(form.index)"])
            // The third that is missing makes it an outage.
            try await web.waitForRequests { $0.count { $0.path == third } > count }
            for name in names { web.mend(name) }
            let heard = try await playing
            #expect(heard.difference(from: whole) == nil, "\(heard.seconds.text) \(heard.errors)")
        }

        /// Playing begins before the server is there, for one who wants to wait.
        @Test func theServerComesLater() async throws {
            let web = try await WebServer.start()
            let url = try web.publish(await MediaFixtures.position(.mp3, seconds: 20), as: "a.mp3")
            web.stop()
            let player = try await StreamPlayer(["--first-contact", "forever", url])
            try await player.wait(for: "reconnecting") { $0.name == "reconnecting" }
            try await player.hear(2)
            let back = ContinuousClock.now
            try await web.start()
            #expect(try await player.waitForSound(after: back) < 1.5)
            try await player.waitForSecond(2)
            #expect(player.heard().order.first == 0)
            try await player.quit()
        }

        /// Two files of the network are joined like local ones: the second is opened before the first has ended.
        @Test func networkTracksAreGapless() async throws {
            let web = try await WebServer.start()
            let album = try await MediaFixtures.album(.flac)
            let urls = try album.tracks.enumerated().map { try web.publish($0.element, as: "\($0.offset).flac") }
            let heard = try await Programs.samples(urls)
            let expected = try await Programs.samples(album.tracks)
            #expect(heard.difference(from: expected) == nil)
            let player = try await StreamPlayer(urls)
            let result = try await player.process.wait(within: .patience)
            #expect(result.status == .code(0))
            let sound = player.capture.stop()
            let joints = Analysis.changes(
                at: album.joints(at: sound.format.sampleRate),
                of: album.reference(at: sound.format.sampleRate),
                in: sound.samples()
            )
            #expect(joints == joints.map { _ in 0 })
        }
    }
}
