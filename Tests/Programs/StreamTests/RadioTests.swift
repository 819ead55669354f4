import Foundation
import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// Stations at a real icecast2.
    @Suite(.blocking, .enabled("icecast2 is not installed") { IcecastServer.missing.isEmpty })
    struct RadioTests {
        /// What goes away.
        enum Loss: String, CaseIterable, Sendable {
            case source
            case server
        }

        /// Back at the live edge at most two seconds after the return, with the title right again.
        @Test(arguments: Loss.allCases, [5.0, 30.0]) func outage(of loss: Loss, lasting outage: Double) async throws {
            let server = try await IcecastServer.start()
            let radio = try await NetworkMaterial.radio(.mp3)
            let source = try IcecastSource(radio, to: server)
            try server.setTitle("Before", of: source.mount)
            let player = try await StreamPlayer(["--buffer", "2", source.url])
            try await player.waitForSound()
            try await player.wait(for: "the title") { $0.text["title"] == "Before" }
            try await player.hear(3)
            switch loss {
            case .source: source.drop()
            case .server:
                server.stop()
                source.drop()
            }
            let gone = ContinuousClock.now
            try await player.waitForSilence()
            #expect(player.isReconnecting, "\(player.told)")
            try await player.hear(max(0.5, outage - (ContinuousClock.now - gone).seconds))

            let back = ContinuousClock.now
            if loss == .server { try await server.start() }
            try source.connect()
            try server.setTitle("After", of: source.mount)
            let delay = try await player.waitForSound(after: back)
            let news = player.told.filter { $0.arrival > back }.map { "\($0.arrival - back) \($0)" }
            #expect(delay < 2, "after an outage of \(outage) s: \(news)")
            // A listener is sent the last four seconds at once.
            let place = try await player.live(source)
            #expect(place < 8, "\(place) s behind")
            try await player.wait(for: "the new title") { $0.text["title"] == "After" }
            try await player.hear(3)
            let heard = player.heard(period: Int(radio.seconds))
            #expect(heard.silences.count == 1, "\(heard.text)")
            try await player.quit()
        }

        /// A title is told when it is heard, not when it comes.
        @Test func titlesAreToldWhenHeard() async throws {
            let server = try await IcecastServer.start()
            let source = try await IcecastSource(NetworkMaterial.radio(.mp3), to: server)
            try server.setTitle("First", of: source.mount)
            let player = try await StreamPlayer([source.url])
            try await player.waitForSound()
            try await player.hear(2)
            let behind = try await player.live(source) - source.lead
            try server.setTitle("Second: ünïcödé", of: source.mount)
            let changed = ContinuousClock.now
            let event = try await player.wait(for: "the title") { $0.text["title"] == "Second: ünïcödé" }
            let delay = (event.arrival - changed).seconds
            // The server tells it with what it has got last.
            let expected = behind + source.lead
            #expect(abs(delay - expected) < 1.5, "told after \(delay) s, heard after \(expected) s")
            #expect(player.told.contains { $0.text["title"] == "First" })
            try await player.quit()
        }

        @Test(arguments: NetworkMaterial.Radio.allCases) func plays(_ form: NetworkMaterial.Radio) async throws {
            let server = try await IcecastServer.start()
            // Chained: each part begins with headers of its own.
            let titles = form.hasTitles ? [] : ["One", "Two", "Three", "Four", "Five", "Six"]
            let radio = try await NetworkMaterial.radio(form, titles: titles)
            let source = try IcecastSource(radio, to: server)
            defer { source.drop() }
            let player = try await StreamPlayer([source.url])
            try await player.waitForSound()
            try await player.hear(14)
            let heard = player.heard(period: 60)
            #expect(heard.faults(tolerance: form == .mp3 || form == .aac ? 0.08 : 0.15).isEmpty, "\(heard.text)")
            #expect(heard.silences.isEmpty, "\(heard.text) \(player.told)")
            if !titles.isEmpty {
                let told = player.told.compactMap { $0.text["title"] }
                #expect(Set(told).intersection(titles).count >= 2, "\(told)")
            }
            try await player.quit()
        }

        /// The real thing as its source: ffmpeg.
        @Test func playsWhatFFmpegSends() async throws {
            let server = try await IcecastServer.start()
            let file = try await MediaFixtures.position(.mp3, seconds: 60)
            let target = "icecast://source:\(IcecastServer.sourcePassword)@127.0.0.1:\(server.port)/radio"
            let source = try ChildProcess(
                "ffmpeg",
                ["-nostdin", "-v", "error", "-re", "-i", file, "-c", "copy", "-content_type", "audio/mpeg"]
                    + ["-f", "mp3", target]
            )
            defer { source.end() }
            let folder = try TemporaryFolder()
            let player = try await StreamPlayer(["--stream-log", folder.file("log.json"), server.url("radio")])
            try await player.waitForSound()
            try await player.hear(6)
            #expect(player.heard().faults().isEmpty, "\(player.heard().text)")
            try await player.quit()
            // The request has not ended; what came of it counts.
            let lines = try FileBytes.read(folder.file("log.json")).split(separator: UInt8(ascii: "\n"))
            let log = try #require(
                try lines.map { try JSONDecoder().decode(Entry.self, from: Data($0)) }.first { $0.log == "access" }
            )
            #expect(log.playbackType == "LIVE")
            #expect(log.numberOfMediaRequests == 1)
            #expect(log.numberOfBytesTransferred ?? 0 > 5 * 16_000)
            #expect(log.durationWatched ?? 0 > 5)
        }

        private struct Entry: Decodable {
            var log: String
            var playbackType: String?
            var numberOfMediaRequests: Int?
            var numberOfBytesTransferred: Int?
            var durationWatched: Double?
        }
    }
}

extension StreamPlayer {
    func waitForSound() async throws { try await capture.waitForSound(within: .patience) }

    /// How many seconds what is heard is behind what the station sends.
    func live(_ source: IcecastSource) async throws -> Double {
        try await hear(1)
        let recording = capture.current
        let window = frames(2)
        let heard = SecondsHeard(recording, from: max(0, recording.frames - window))
        guard let last = heard.stretches.last, let second = last.second else {
            throw ClientError(description: "nothing is heard: \(self.heard().text)")
        }
        let period = source.programme.seconds
        let behind = (source.time - Double(second) - min(last.duration, 1)).truncatingRemainder(dividingBy: period)
        return behind < 0 ? behind + period : behind
    }
}
