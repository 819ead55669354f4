import TestSupport
import Testing

extension SessionSoundTests {
    /// When the server ends, what plays fades out evenly, without a click.
    @Test(arguments: Stage.Server.installed)
    func theEndIsAFade(_ server: Stage.Server) async throws {
        let stage = try await Stage.start(server)
        let client = try stage.connect()
        let capture = try await MonitorCapture(of: stage.sound)
        try client.play("music.wav")
        try await capture.waitForMusic()
        try await stage.end()
        try await capture.hear(0.3)
        let hearing = Hearing(capture.stop())
        let music = Songs.music.stretches(in: hearing.left)
        try #require(music.count == 1, "\(music)")
        let curve = hearing.curve(Songs.music, music[0].heard)
        #expect((curve.gains.suffix(10).max() ?? 1) < 0.01)
        #expect(curve.largestStep < 0.02)
        // From 6 dB less to 30 dB less of the 90 dB in 0.3 s.
        let start = try #require(curve.gains.firstIndex { $0 < 0.5 })
        let end = try #require(curve.gains.firstIndex { $0 < 0.0316 })
        #expect(abs(end - start - 3_528) < 400, "\(end - start)")
    }
}
