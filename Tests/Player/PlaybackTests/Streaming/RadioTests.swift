import AudioTypes
import Foundation
import Outputs
import Playback
import TestSupport
import Testing

/// Radio: streams without an end, with titles.
@Suite(
    .enabled("ffmpeg or lame is not installed") { MediaFixtures.missing.isEmpty },
    .enabled("icecast2 is not installed") { IcecastServer.missing.isEmpty }
)
struct RadioTests {
    /// A station that sends a minute again and again, with a burst for who comes, and titles.
    @Test func titlesAreToldWhenTheyAreHeard() async throws {
        let server = try await IcecastServer.start()
        let programme = try await NetworkMaterial.radio(.mp3)
        let source = try IcecastSource(programme, to: server)
        try server.setTitle("One", of: source.mount)
        let stage = await ClockStage()
        await stage.player.append([MediaEntry(source.url)])
        await stage.player.play()
        try await stage.log.waitForStatus("playing") { $0.timeControlStatus == .playing }
        try await stage.log.wait("the first title") { $0.title == "One" }
        let before = stage.player.streamStatus
        #expect(before?.isLive == true)
        try server.setTitle("Two", of: source.mount)
        let start = ContinuousClock.now
        try await stage.log.wait("the next title") { $0.title == "Two" }
        // What was buffered is heard first.
        #expect(ContinuousClock.now - start > .seconds(1.5))
        #expect(stage.player.status.currentItem?.title == "Two")
        #expect(stage.player.status.currentItem?.info?.tags.title == "Two")
        #expect(!stage.log.words.contains("stalled 1"))
        await stage.player.close()
    }
}

extension PlayerEvent {
    fileprivate var title: String? {
        if case .timedMetadata(_, let tags) = self { tags.title } else { nil }
    }
}
