import Playlists
import Songs
import TestSupport
import Testing

@testable import Zones

/// Songs that cannot be played, or may not be.
@Suite struct FailureTests {
    @Test(arguments: [
        ["x1", "a", "b"], ["a", "x1", "b"], ["a", "b", "x1"], ["x1", "x2", "a", "b"], ["a", "x1", "x2", "b"],
        ["no", "a", "b"], ["a", "no", "b"], ["a", "b", "no"], ["x1", "no", "x2", "a", "b"],
    ])
    func theyArePassedOver(_ songs: [String]) async throws {
        let stage = try await Stage(songs)
        try await stage.act { try $0.play() }
        let played = try await stage.waitForEnd()
        #expect(played.filter { $0 == "a" || $0 == "b" } == ["a", "b"])
        #expect(stage.gate.frames == 2 * songFrames)
        await stage.close()
    }

    @Test(arguments: [["x1"], ["x1", "x2", "x3"], ["no"], ["no1", "no2"], ["x1", "no", "x2"]], [false, true])
    func nothingIsTriedForEver(_ songs: [String], random: Bool) async throws {
        let stage = try await Stage(songs)
        try await stage.act { zone in
            zone.setRepeat(true)
            zone.setRandom(random)
            try zone.play()
        }
        try await stage.wait("the end") { $0.state == .stop && $0.error != nil }
        #expect(await stage.act { $0.failures } <= songs.count)
        // It can be tried again.
        await stage.act { $0.clearError() }
        try await stage.act { try $0.play() }
        try await stage.wait("the end") { $0.state == .stop && $0.error != nil }
        await stage.close()
    }

    /// `single` is for a song that was heard.
    @Test(arguments: ["x1", "no"], [QueueModes.Switch.on, .oneshot])
    func aSingleBadSongIsPassedOver(_ bad: String, single: QueueModes.Switch) async throws {
        let stage = try await Stage([bad, "a", "b"])
        try await stage.act { zone in
            zone.setSingle(single)
            try zone.play()
        }
        try await stage.wait("the pause after a song") { $0.state == .pause }
        #expect(stage.sight.current.song == "b" && stage.gate.frames == songFrames)
        await stage.close()
    }

    @Test(arguments: [["x1"], ["no1"]])
    func aSingleBadSongThatRepeatsEnds(_ songs: [String]) async throws {
        let stage = try await Stage(songs + ["a"])
        try await stage.act { zone in
            zone.setRepeat(true)
            zone.setSingle(.on)
            try zone.play()
        }
        try await stage.wait("the end") { $0.state == .stop && $0.error != nil }
        #expect(stage.gate.frames == 0)
        await stage.close()
    }

    @Test func theReasonIsSaidAndForgotten() async throws {
        let stage = try await Stage(["x1", "a"])
        try await stage.act { try $0.play() }
        _ = try await stage.waitForEnd()
        #expect(stage.sight.current.error?.contains("x1") == true)
        #expect(stage.sight.current.error?.contains("\n") == false)
        try await stage.act { try $0.play(position: 1) }
        #expect(stage.sight.current.error == nil)
        await stage.close()
    }

    @Test func aSongThatMayNotBePlayedShowsNoCredentials() async throws {
        let stage = try await Stage([])
        try await stage.act { zone in
            try zone.add([Song(uri: "nope://user:secret@host/x")])
            try zone.play()
        }
        #expect(stage.sight.current.state == .stop)
        #expect(stage.sight.current.error == "nope://host/x: is not in the music directory")
        await stage.close()
    }
}
