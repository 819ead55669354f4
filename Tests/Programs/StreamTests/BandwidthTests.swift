import Foundation
import TestSupport
import TestThreads
import Testing

extension StreamTests {
    /// Networks that carry less than what is played.
    @Suite(.blocking) struct BandwidthTests {
        /// Two thirds of the bit rate: it waits with its reason, at most once in 15 s, and never longer in all than the
        /// network forces.
        @Test func twoThirds() async throws {
            let web = try await WebServer.start(.slow("slow/", rate: 16_000))
            try web.publish(await MediaFixtures.position(.mp3, seconds: 60), as: "a.mp3")
            let player = try await StreamPlayer([web.url("slow/a.mp3")])
            let length = 42.0
            try await player.waitForSound()
            let start = player.capture.current.firstSound(after: 0) ?? 0
            try await player.hear(length)
            let heard = player.heard(from: start)
            #expect(heard.faults().isEmpty, "\(heard.text)")
            let waits = heard.silences.map(\.start)
            for (earlier, later) in zip(waits, waits.dropFirst()) { #expect(later - earlier > 15, "\(heard.text)") }
            #expect(waits.count <= 3, "\(heard.text)")
            // Of what has come two thirds of the time can be filled; what is still in store counts as silence.
            let silence = heard.silences.reduce(0) { $0 + $1.duration }
            #expect(silence < length / 3 + 8, "\(heard.text)")
            #expect(player.told.contains { $0.text["state"] == "waiting" && $0.text["reason"] == "buffering" })
            try await player.quit()
        }

        /// Segments from a server that limits each connection to two thirds of what is played: they come side by side, and
        /// nothing is silent once it has begun.
        @Test(arguments: [NetworkMaterial.Segments.ts, .dash])
        func sideBySide(form: NetworkMaterial.Segments) async throws {
            let (length, heardLength) = (60, 30.0)
            let folder = try await NetworkMaterial.segments(form, seconds: length)
            let web = try await WebServer.start(.slow("slow/", rate: try Self.bytes(in: folder) / length * 16 / 26))
            try web.publish(folder: folder, as: "a")
            let player = try await StreamPlayer([web.url("slow/a/\(form.index)")])
            try await player.waitForSound()
            let start = player.capture.current.firstSound(after: 0) ?? 0
            try await player.hear(heardLength)
            let heard = player.heard(from: start)
            #expect(heard.faults().isEmpty, "\(heard.text)")
            #expect(heard.silences.reduce(0) { $0 + $1.duration } <= 1, "\(heard.text)")
            try await player.quit()
        }

        private static func bytes(in folder: String) throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: folder)
                .filter { !$0.hasSuffix(".m3u8") && !$0.hasSuffix(".mpd") }
                .reduce(0) { try $0 + FileBytes.read("\(folder)/\($1)").count }
        }

        /// A stream whose throughput no longer carries its variant goes on with another.
        @Test func anotherVariant() async throws {
            let web = try await WebServer.start(.slow("slow/", rate: 6_000, after: 20_000))
            try web.publish(folder: await NetworkMaterial.variants([64, 256], seconds: 40), as: "a")
            let player = try await StreamPlayer(["--buffer", "6", web.url("slow/a/index.m3u8")])
            try await player.waitForSecond(20, within: 60)
            let heard = player.heard()
            #expect(heard.faults().isEmpty, "\(heard.text)")
            #expect(web.requests.contains { $0.path.contains("/64/") && $0.path.hasSuffix(".ts") })
            try await player.quit()
        }
    }
}
