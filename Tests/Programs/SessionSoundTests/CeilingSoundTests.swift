import AudioTypes
import Foundation
import TestSupport
import Testing

extension SessionSoundTests {
    /// A stream that is raised in the sound server's mixer, above the ceiling of its zone, comes back at once.
    @Test(arguments: Stage.Server.installed)
    func aCeilingHoldsInTheSoundServer(_ server: Stage.Server) async throws {
        let stage = try await Stage.start(server)
        let client = try stage.connect()
        for command in ["repeat 1", "setvol 80"] { try client.order(command) }
        try client.play("music.wav")
        try stage.waitForVolume(80)
        try stage.raise(to: 100)
        try client.order("ceiling set default volume 50")
        try stage.waitForVolume(50)
        try client.order("setvol 40")
        try stage.waitForVolume(40)
        let capture = try await MonitorCapture(of: stage.sound)
        try await capture.waitForMusic()
        // A volume below the ceiling stays as the mixer has set it.
        try stage.raise(to: 45)
        try stage.raise(to: 120)
        try client.wait { try client.refusals().contains("zone default at 120 %: its ceiling is 50 %") }
        try stage.waitForVolume(40)
        try await capture.hear(0.4 + server.grace)
        let hearing = Hearing(capture.stop())
        let music = try #require(Songs.music.stretches(in: hearing.left).max { $0.heard.count < $1.heard.count })
        let gains = hearing.curve(Songs.music, music.heard).gains
        let quiet = 0.4 * 0.4 * 0.4
        #expect(abs(gains[0] - quiet) < 0.01 && abs((gains.last ?? 0) - quiet) < 0.01)
        let loud = gains.count { $0 > 0.5 * 0.5 * 0.5 + 0.01 }
        #expect(loud < capture.current.format.frames(in: 0.3), "\(loud) frames")
        // Without a ceiling it is not ours, nor is it after another stream was made.
        try client.order("ceiling clear default")
        try stage.raise(to: 90)
        try stage.waitForVolume(90)
        try client.order("setvol 41")
        try client.order("ceiling set default volume 45")
        try await stage.sound.restart()
        // A player that was without a sound server for too long is paused; PipeWire may give the stream an earlier volume.
        try client.order("play")
        try TestSupport.wait(for: "the stream") { try stage.sound.streams().contains { $0.name == "Segue" } }
        try stage.raise(to: 60)
        try stage.waitForVolume(41)
        #expect(try client.values("status")["volume"] == "41")
    }

    /// Music that moves to a zone is never louder there than that zone is, not even at first.
    @Test(arguments: ["ceiling set nursery volume 30", "setvol 30"])
    func aCeilingHoldsWhatMovesIn(_ order: String) async throws {
        let sinks = [NullSink("kitchen"), NullSink("nursery")]
        let stage = try await Stage.start(sinks: sinks, zones: [("nursery", "nursery")])
        let (client, nursery) = (try stage.connect(), try stage.connect("nursery"))
        try nursery.order(order)
        try client.play("music.wav")
        let kitchen = try await MonitorCapture(of: stage.sound, sink: sinks[0])
        let capture = try await MonitorCapture(of: stage.sound, sink: sinks[1])
        try await kitchen.waitForMusic()
        try client.order("zone handover nursery")
        try await capture.waitForMusic()
        #expect(try nursery.values("status")["volume"] == "30")
        let hearing = Hearing(capture.stop())
        let music = try #require(Songs.music.stretches(in: hearing.left).first)
        let gains = hearing.curve(Songs.music, music.heard).gains
        #expect((gains.max() ?? 1) < 0.3 * 0.3 * 0.3 + 0.01)
    }

    /// Another program that raises it again and again has no say, and is not answered more often than need be.
    @Test func aFightAboutTheVolumeCostsLittle() async throws {
        let stage = try await Stage.start()
        let client = try stage.connect()
        try client.order("ceiling set default volume 30")
        try client.play("music.wav")
        try stage.waitForVolume(30)
        for percent in 0..<100 { try stage.raise(to: 50 + percent % 2) }
        try stage.waitForVolume(30)
        let entries = try client.order("audit list").filter { $0.hasPrefix("text: zone default") }
        #expect(!entries.isEmpty && entries.count <= 100)
    }
}

extension Stage {
    /// Sets the volume of the program's stream, as a mixer does.
    fileprivate func raise(to percent: Int) throws {
        let stream = try #require(try sound.streams().first { $0.name == "Segue" })
        try sound.control("set-sink-input-volume", stream.number, "\(percent)%")
    }

    fileprivate func waitForVolume(_ percent: Int, _ line: Int = #line) throws {
        var heard: [Int] = []
        do {
            try TestSupport.wait(for: "a volume of \(percent) %") {
                heard = try volumes()
                return !heard.isEmpty && heard.allSatisfy { abs($0 - percent * 65_536 / 100) <= 64 }
            }
        } catch {
            throw ClientError(description: "\(error), in line \(line): \(heard)")
        }
    }

    /// Of the program's stream, by channels; none without a stream.
    private func volumes() throws -> [Int] {
        let text = try sound.control("--format=json", "list", "sink-inputs")
        let list = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: Any]] ?? []
        let ours = list.first { ($0["properties"] as? [String: String])?["application.id"] == "segue" }
        return (ours?["volume"] as? [String: [String: Any]] ?? [:]).values.compactMap { $0["value"] as? Int }
    }
}

extension LineClient {
    fileprivate func refusals() throws -> [String] {
        try order("audit list").filter { $0.hasPrefix("text: ") }.map { String($0.dropFirst(6)) }
    }
}
