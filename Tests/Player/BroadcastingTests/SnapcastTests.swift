import AudioTypes
import Foundation
import OutputGroups
import Outputs
import Playback
import TestSupport
import TestThreads
import Testing

@testable import Broadcasting

/// A zone through a real snapserver, as a real snapclient hears it.
@Suite(.blocking, .serialized, .enabled(if: SnapcastServer.missing.isEmpty, "\(SnapcastServer.missing)"))
struct SnapcastTests {
    private func add(_ server: SnapcastServer, to stage: BroadcastStage) {
        let settings = SnapcastSettings(port: server.sourcePort, controlPort: server.controlPort)
        stage.group.add(
            OutputDescription(name: "house", plugin: .snapcast, mixer: .none) { _ in
                try StreamOutput.snapcast(settings, format: StreamOutput.snapcastFormat)
            }
        )
    }

    /// What a client has played so far, in frames.
    private func length(_ path: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: path)
        return (attributes?[.size] as? Int ?? 0) / 4
    }

    /// One channel of what a client has played, from a frame on.
    private func heard(_ path: String, from start: Int = 0) -> [Float] {
        guard let file = FileHandle(forReadingAtPath: path) else { return [] }
        defer { try? file.close() }
        try? file.seek(toOffset: UInt64(clamping: start * 4))
        let bytes = [UInt8]((try? file.readToEnd()) ?? Data())
        return stride(from: 0, to: bytes.count - 3, by: 4).map {
            Float(Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)) / 32_768
        }
    }

    private func seconds(ofSoundIn samples: [Float]) -> Double {
        Double(Analysis.levels(samples, sampleRate: 48_000).count { $0 > -20 }) * 0.01
    }

    /// A client hears the sound after the server's buffer, and after a pause as soon again: nothing has piled up.
    @Test func aClientHearsTheZoneInTime() async throws {
        let server = try await SnapcastServer()
        let stage = try await BroadcastStage()
        add(server, to: stage)
        let client = try server.client("hall")
        defer { client.process.end() }
        try wait(for: "silence at the client") { length(client.path) > 48_000 }
        for round in 0..<2 {
            let begin = length(client.path)
            if round == 0 {
                try await stage.play(Signal.tone(1_000, seconds: 60, sampleRate: 44_100))
            } else {
                await stage.player.play()
            }
            try wait(for: "the sound") { seconds(ofSoundIn: heard(client.path, from: begin)) > 1 }
            let sound = heard(client.path, from: begin)
            let start = try #require(sound.firstIndex { abs($0) > 0.2 })
            // The server's buffer, and what a busy machine takes to begin; less than the pause, which would come on top.
            let delay = Double(start) / 48 - Double(SnapcastServer.buffer)
            #expect(delay > -100 && delay < 3_000, "\(delay) ms besides the buffer")
            let end = sound[start...].suffix(4_800)
            #expect(abs(Analysis.frequency(end, sampleRate: 48_000) - 1_000) < 20)
            await stage.player.pause()
            let pause = length(client.path)
            try wait(for: "four seconds of silence") {
                let end = heard(client.path, from: pause).suffix(192_000)
                return end.count == 192_000 && end.allSatisfy { abs($0) < 0.001 }
            }
        }
        await stage.player.close()
    }

    /// Volumes of clients are attributes, and are set there.
    @Test func volumesAreSetForEachClient() async throws {
        let server = try await SnapcastServer()
        let stage = try await BroadcastStage()
        add(server, to: stage)
        let clients = [try server.client("hall"), try server.client("bath")]
        defer { for client in clients { client.process.end() } }
        func attributes() -> [String: String] {
            stage.group.members.first { $0.name == "house" }?.attributes ?? [:]
        }
        // They are on the same host, so their numbers tell them apart.
        try wait(for: "the clients") { attributes().keys.sorted() == ["volume:bath", "volume:hall"] }
        try stage.group.setAttribute("volume:bath", to: "33", of: "house")
        try wait(for: "the volume") { attributes() == ["volume:bath": "33", "volume:hall": "100"] }
        for value in ["101", "-1", "x"] {
            #expect(throws: AttributeProblem.self) {
                try stage.group.setAttribute("volume:bath", to: value, of: "house")
            }
        }
        // Others change what is there as well, and that is told.
        let before = stage.changes.withLock { $0.count }
        let third = try server.client("attic")
        defer { third.process.end() }
        try wait(for: "the third client") { attributes()["volume:attic"] == "100" }
        try wait(for: "the news of it") { stage.changes.withLock { $0.dropFirst(before).contains("house") } }
        await stage.player.close()
    }

    /// The server is restarted, and the zone is heard again by itself.
    @Test func aRestartIsSurvived() async throws {
        let server = try await SnapcastServer()
        let stage = try await BroadcastStage()
        add(server, to: stage)
        let client = try server.client("hall")
        defer { client.process.end() }
        try await stage.play(Signal.tone(1_000, seconds: 600, sampleRate: 44_100))
        try wait(for: "the sound") { seconds(ofSoundIn: heard(client.path)) > 0.3 }
        server.stop()
        try wait(for: "the loss") { stage.group.members.contains { $0.name == "house" && $0.error != nil } }
        try await server.start()
        let before = seconds(ofSoundIn: heard(client.path))
        try wait(for: "the sound again") { seconds(ofSoundIn: heard(client.path)) > before + 1 }
        #expect(stage.group.members.allSatisfy { $0.error == nil })
        await stage.player.close()
    }
}
