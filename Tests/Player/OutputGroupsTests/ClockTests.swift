import AudioTypes
import Glibc
import OutputGroups
import Outputs
import Playback
import TestSupport
import TestTiming
import Testing

/// Whose clock is the group's.
@Suite(.serialized)
struct ClockTests {
    /// The place goes on evenly while the clock passes from one member to the next.
    @Test(.timed, .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
    func theClockPassesOn() async throws {
        let server = try await PulseServer.start()
        let stage = try await GroupStage(.pulse("pulse", server), .null(isEnabled: false))
        try await stage.waitForMember("pulse", "to be open") { $0.isOpen }
        try await stage.play(noise(30))
        try await stage.waitForTime(0.5)
        stage.group.setEnabled(true, "null")
        try await stage.waitForMember("null", "to be open") { $0.isOpen }
        for (name, isEnabled) in [("pulse", false), ("pulse", true), ("null", false)] {
            let before = stage.timeNow()
            stage.group.setEnabled(isEnabled, name)
            if isEnabled { try await stage.waitForMember(name, "to be open") { $0.isOpen } }
            try await stage.waitForTime(before.value + 0.4)
            let lead = stage.timeNow().lead(over: before)
            try expect(lead, atMost: .milliseconds(100), since: before.moments.lowerBound, "\(name) \(isEnabled)")
        }
        await stage.player.close()
    }

    /// Of two devices the first leads, also where it opens last.
    @Test func theOrderDecidesWhoLeads() async throws {
        let deep = AudioFormat(sampleFormat: .s32, sampleRate: 96_000, channels: .stereo)
        let mayOpen = Watched(false)
        let stage = try await GroupStage(
            OutputDescription(name: "first", plugin: .pulse, mixer: .none) { _ in
                while !mayOpen.current { usleep(5_000) }
                return NullOutput(format: deep)
            },
            OutputDescription(name: "second", plugin: .pulse, mixer: .none) { _ in NullOutput(format: .cd) }
        )
        try await stage.waitForMember("second", "to be open") { $0.isOpen }
        try await stage.play(noise(60))
        #expect(stage.group.format == .cd)
        mayOpen.withLock { $0 = true }
        try await stage.waitForMember("first", "to be open") { $0.isOpen }
        try await stage.waitForTime(0.3)
        #expect(stage.group.format == deep)
        // Another one takes over at once, and gives the lead back at the next pause.
        stage.group.setEnabled(false, "first")
        let time = stage.player.currentTime().seconds
        try await stage.waitForTime(time + 0.3)
        #expect(stage.group.format == .cd)
        stage.group.setEnabled(true, "first")
        try await stage.waitForMember("first", "to be open") { $0.isOpen }
        try await stage.waitForTime(time + 0.6)
        #expect(stage.group.format == .cd)
        await stage.player.pause()
        await stage.player.play()
        try await stage.waitForTime(time + 0.9)
        #expect(stage.group.format == deep)
        await stage.player.close()
    }

    @Test func withoutAnOutputThePlayerWaits() async throws {
        let stage = try await GroupStage(.null())
        try await stage.play(noise(5))
        try await stage.waitForTime(0.3)
        stage.group.setEnabled(false, "null")
        let time = stage.player.currentTime()
        try await stage.wait("the loss") { $0 == .outputLost("no output is enabled") }
        let lost = stage.timeNow()
        #expect(stage.player.status.timeControlStatus == .waitingToPlayAtSpecifiedRate(.outputUnavailable))
        #expect(stage.player.currentTime() == time)
        stage.group.setEnabled(true, "null")
        try await stage.wait("the return") { $0 == .outputRestored }
        #expect(stage.timeNow().lead(over: lost).seconds < 0.01)
        try await stage.waitForTime(time.seconds + 0.1)
        #expect(stage.player.status.timeControlStatus == .playing)
        await stage.player.close()
    }

    /// A member that is replaced keeps its place, and the player is told of no loss.
    @Test func aMemberIsReplaced() async throws {
        let stage = try await GroupStage(.null("first"), .null("second"))
        try await stage.play(noise(5))
        try await stage.waitForTime(0.3)
        stage.group.setEnabled(false, "second")
        let change = RouteChange(.override, from: "here", to: "there")
        stage.group.replace(with: .null("first"), route: change)
        #expect(stage.group.members.map(\.name) == ["first", "second"])
        #expect(stage.group.members[0].route == change)
        try await stage.waitForTime(0.8)
        stage.group.beginChange()
        stage.group.setEnabled(false, "first")
        stage.group.setEnabled(true, "first")
        stage.group.endChange()
        try await stage.waitForTime(1.2)
        #expect(!stage.events.current.contains { if case .outputLost = $0 { true } else { false } })
        stage.group.beginChange()
        stage.group.setEnabled(false, "first")
        stage.group.endChange()
        try await stage.wait("the loss") { $0 == .outputLost("no output is enabled") }
        await stage.player.close()
    }

    /// A player may find its output lost before its first listener has begun to listen.
    @Test func aLaterListenerIsToldOfTheLoss() async throws {
        let stage = try await GroupStage(.null(isEnabled: false))
        try await stage.wait("the loss") { $0 == .outputLost("no output is enabled") }
        let late = await stage.listen()
        #expect(await late.wait(within: .patience) { $0.first == .outputLost("no output is enabled") })
        stage.group.setEnabled(true, "null")
        try await stage.wait("the return") { $0 == .outputRestored }
        let latest = await stage.listen()
        try await stage.play(noise(0.1))
        #expect(await latest.wait(within: .patience) { $0.contains(.queueEnded) })
        #expect(!latest.current.contains(.outputLost("no output is enabled")))
        await stage.player.close()
    }

    @Test func theVolumeIsThatOfTheEnabled() async throws {
        let stage = try await GroupStage(.null())
        #expect(!stage.group.hasVolume)
        var soft = OutputDescription.null("soft")
        soft.mixer = .software
        #expect(stage.group.add(soft) && !stage.group.add(soft))
        #expect(stage.group.hasVolume)
        #expect(stage.group.setEnabled(false, "soft") && !stage.group.setEnabled(false, "none"))
        #expect(!stage.group.hasVolume)
        #expect(try stage.group.setAttribute("dop", to: "1", of: "soft"))
        #expect(stage.group.members.map(\.attributes) == [[:], ["dop": "1"]])
        await stage.player.close()
    }

    /// What cannot be opened is tried again while the group is to play, and its error is kept.
    @Test func openingIsTriedAgain() async throws {
        struct Refusal: Error, CustomStringConvertible { let description = "not yet" }
        let attempts = Watched(0)
        let stage = try await GroupStage(
            OutputDescription(name: "late", plugin: .pulse) { format in
                let count = attempts.withLock { count in
                    count += 1
                    return count
                }
                if count < 4 { throw Refusal() }
                return NullOutput(format: format)
            }
        )
        try await stage.waitForMember("late", "to fail") { $0.error == "not yet" }
        // Nothing plays, so nothing is tried.
        #expect(attempts.current == 1)
        try await stage.play(noise(0.2))
        try await stage.waitForEnd()
        #expect(attempts.current == 4)
        #expect(stage.error(of: "late") == nil)
        await stage.player.close()
    }
}
