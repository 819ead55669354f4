import Foundation
import TestSupport
import TestThreads
import Testing

/// `getfingerprint` gives what Chromaprint's own program does.
@Suite(.blocking, .enabled("fpcalc is missing") { (Music.missing + ChildProcess.missing("fpcalc")).isEmpty })
struct FingerprintTests {
    @Test func fingerprintsAreThoseOfChromaprint() async throws {
        let folder = try TemporaryFolder()
        let music = try folder.makeFolder("mine")
        for (name, codec, channels) in [
            ("stereo.flac", MediaFixtures.Codec.flac, 2), ("mono.flac", .flac, 1), ("long.mp3", .mp3, 2),
        ] {
            let isLong = name == "long.mp3"
            let path = try await MediaFixtures.audio("fingerprint-\(isLong)", codec, channels: channels) {
                Signal.chorus(seconds: isLong ? 130 : 20, sampleRate: 44_100, seed: 3)
            }
            try FileManager.default.copyItem(atPath: path, toPath: "\(music)/\(name)")
        }
        try Data("no sound".utf8).write(to: URL(filePath: "\(music)/text.flac"))
        let server = try await Segued.start(in: folder, music: music)
        let client = try server.connect()
        for name in ["stereo.flac", "mono.flac", "long.mp3"] {
            // It takes the end of a file for an error, but has its fingerprint.
            let expected = try ChildProcess("fpcalc", ["-plain", "\(music)/\(name)"])
                .waitBlocking(within: .patience).outputText.trimmingCharacters(in: .whitespacesAndNewlines)
            let print = try #require(try client.values("getfingerprint \(name)")["chromaprint"])
            #expect(print.utf8.count > 50)
            #expect(print == expected, "\(name)")
        }
        for uri in ["nothing.flac", "text.flac"] {
            #expect(client.ask("getfingerprint \(uri)").last?.hasPrefix("ACK [5") == true)
        }
        #expect(client.ask("getfingerprint http://127.0.0.1:1/x.mp3").last?.hasPrefix("ACK [2@0]") == true)
    }
}
