import Foundation
import ProtocolClient
import TestSupport
import TestThreads
import Testing

/// The causes of silence that `why` tells.
@Suite(.blocking) struct CauseTests {
    private let place: Place

    init() throws { place = try Place() }

    /// Songs are added, and `gone.wav` is removed before it is played.
    private func play(_ songs: [String], _ remote: RemoteConnection) throws {
        for song in songs { _ = try remote.run("add", song) }
        try FileManager.default.removeItem(atPath: place.folder.file("music/gone.wav"))
        _ = try remote.run("play")
    }

    @Test func whatWentWrongBeforeIsNoCause() async throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        try play(["gone.wav", "one.wav"], remote)
        let status = try remote.wait { $0.position == 1 && $0.elapsed ?? 0 > 0 && $0.error != nil }
        #expect(status.error?.contains("gone.wav") == true)
        #expect(try remote.run("why").values("cause") == ["it is playing at its set volume"])
        _ = try remote.run("stop")
        #expect(try remote.run("why").values("cause").map { String($0.prefix(10)) } == ["stopped by"])
    }

    @Test func whatNothingFollowsIsACause() async throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        try play(["gone.wav"], remote)
        _ = try remote.wait { $0.state == .stopped && $0.error != nil }
        #expect(try remote.run("why")["cause"]?.contains("gone.wav") == true)
    }

    @Test func whatInterruptsHasAName() async throws {
        let daemon = try Segued.start(in: place)
        let remote = try daemon.connect()
        _ = try remote.run("add", "one.wav")
        _ = try remote.run("play")
        let call = try #require(try remote.run("session", "interrupt", "begin", "call", "name", "Anna")["session"])
        let text = try await place.segue("status", "--json").outputText
        #expect(text.contains(#""interrupted":"\#(call)","interrupter":"a call 'Anna'""#), "\(text)")
        _ = try remote.run("session", "interrupt", "end", call)
        #expect(try await !place.segue("status", "--json").outputText.contains("interrupter"))
    }
}
