import AudioTypes
import Foundation
import Glibc
import OutputGroups
import Outputs
import Playback
import TestSupport
import TestThreads
import Testing

@testable import Broadcasting

/// Streams in segments, as another player reads them from a web server.
@Suite(.blocking, .serialized)
struct HLSFolderTests {
    private func add(_ folder: String, to stage: BroadcastStage) {
        let settings = HLSSettings(folder: folder, segmentTime: 1, segmentCount: 3)
        stage.group.add(
            OutputDescription(name: "hls", plugin: .hls, mixer: .none) { try StreamOutput.hls(settings, format: $0) }
        )
    }

    private func playlist(_ folder: String) -> String {
        (try? FileBytes.read(folder + "/stream.m3u8")).map { String(decoding: $0, as: UTF8.self) } ?? ""
    }

    private func sequence(_ text: String) -> Int {
        text.split(separator: "\n").lazy.compactMap {
            $0.hasPrefix("#EXT-X-MEDIA-SEQUENCE:") ? Int($0.dropFirst(22)) : nil
        }
        .first ?? -1
    }

    /// ffmpeg hears what is played, without a gap between segments, and old files go.
    @Test func aPlayerFollowsTheSegments() async throws {
        let stage = try await BroadcastStage()
        let folder = stage.folder.file("live")
        add(folder, to: stage)
        stage.group.show(StreamTitle(title: "One", artist: "Ann"))
        try await stage.play(Signal.tone(1_000, seconds: 60, sampleRate: 44_100))
        // Then those with the silence before the sound are no longer listed.
        let begun = max(0, sequence(playlist(folder)))
        try wait(for: "segments") { sequence(playlist(folder)) >= begun + 4 }
        let heard = stage.folder.file("heard.wav")
        let child = try ChildProcess(
            "ffmpeg",
            ["-v", "error", "-i", folder + "/stream.m3u8", "-t", "5", "-y", heard]
        )
        #expect(try await child.wait().status == .code(0), "\(child.errorText)")
        #expect(child.errorText.isEmpty, "\(child.errorText)")
        let sound = try MediaSound.of(heard)
        let samples = sound.channel(0).drop { abs($0) < 0.1 }
        #expect(samples.count > sound.format.sampleRate * 2)
        #expect(abs(Analysis.frequency(samples, sampleRate: sound.format.sampleRate) - 1_000) < 2)
        let levels = Analysis.levels(Array(samples), sampleRate: sound.format.sampleRate)
        #expect(levels.drop { $0 < -12 }.dropLast(5).allSatisfy { $0 > -12 })
        let text = playlist(folder)
        #expect(text.contains(",Ann - One\n"))
        // Once numbers have gone on, the first file is removed.
        try wait(for: "the removal") { !FileManager.default.fileExists(atPath: folder + "/stream-0.aac") }
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.count <= 1 + 3 + 4 + 1, "\(files)")
        await stage.player.close()
    }

    /// After a restart numbers go on, with a discontinuity, and what was left is removed.
    @Test func aRestartIsADiscontinuity() async throws {
        let folder = try TemporaryFolder()
        var last = 0
        for round in 0..<2 {
            let stage = try await BroadcastStage()
            add(folder.path, to: stage)
            try await stage.play(Signal.tone(1_000, seconds: 60, sampleRate: 44_100))
            try wait(for: "segments") { sequence(playlist(folder.path)) > last }
            if round == 1 {
                try wait(for: "the removal") {
                    !FileManager.default.fileExists(atPath: folder.path + "/stream-0.aac")
                }
            }
            await stage.player.close()
            let text = playlist(folder.path)
            var next = RollingPlaylist(target: 2, length: 3)
            next.resume(after: text)
            #expect(next.discontinuities == round + 1, "\(text)")
            last = sequence(text)
        }
    }

    /// A folder that cannot be written to is told, and used again when it can.
    @Test func aFolderThatIsGoneComesBack() async throws {
        let stage = try await BroadcastStage()
        let folder = stage.folder.file("live")
        add(folder, to: stage)
        try await stage.play(Signal.tone(1_000, seconds: 60, sampleRate: 44_100))
        try wait(for: "a segment") { !playlist(folder).isEmpty }
        try FileManager.default.moveItem(atPath: folder, toPath: folder + "-away")
        try wait(for: "the reason") {
            stage.group.members.contains { $0.error?.hasPrefix(folder) == true }
        }
        try FileManager.default.moveItem(atPath: folder + "-away", toPath: folder)
        let number = sequence(playlist(folder))
        try wait(for: "more segments") { sequence(playlist(folder)) > number }
        #expect(stage.group.members.allSatisfy { $0.error == nil })
        await stage.player.close()
    }
}
