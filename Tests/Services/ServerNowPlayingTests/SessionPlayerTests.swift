import AudioSessions
import AudioTypes
import MPRIS
import NowPlaying
import Testing

@testable import ServerNowPlaying

/// A client's session as a player: what a command of the bus becomes.
struct SessionPlayerTests {
    private func player(_ commands: Set<RemoteCommand.Kind>, _ words: String...) throws -> SessionPlayer {
        var player = SessionPlayer(at: .now)
        player.commands = commands
        player.tell(try NowPlayingInfo(parsing: words), at: .now)
        return player
    }

    /// Headsets send either of play and pause by what they believe.
    @Test func playAndPauseAreIdempotent() throws {
        let player = try player([.play, .pause])
        #expect(player.remoteCommand(for: .play, isPlaying: true, at: .now) == nil)
        #expect(player.remoteCommand(for: .pause, isPlaying: false, at: .now) == nil)
        #expect(player.remoteCommand(for: .play, isPlaying: false, at: .now)?.kind == .play)
        #expect(player.remoteCommand(for: .pause, isPlaying: true, at: .now)?.kind == .pause)
        #expect(player.remoteCommand(for: .playPause, isPlaying: true, at: .now)?.kind == .pause)
    }

    /// One that only toggles is toggled where that is what is wanted.
    @Test func toggling() throws {
        let player = try player([.togglePlayPause])
        for (command, isPlaying) in [(MediaPlayerCommand.play, false), (.pause, true), (.playPause, true)] {
            #expect(player.remoteCommand(for: command, isPlaying: isPlaying, at: .now)?.kind == .togglePlayPause)
        }
        #expect(player.remoteCommand(for: .play, isPlaying: true, at: .now) == nil)
    }

    @Test func whatIsNotEnabledIsNotPassedOn() throws {
        let player = try player([.play])
        for command in [
            MediaPlayerCommand.next, .previous, .stop, .seek(5), .setRate(2), .setLoop(.track), .setVolume(1),
        ] {
            #expect(player.remoteCommand(for: command, isPlaying: true, at: .now) == nil)
        }
    }

    @Test func seeksBecomeSkipsOrPositions() throws {
        let skips = try player([.skipForward, .skipBackward], "elapsed", "100")
        #expect(
            skips.remoteCommand(for: .seek(15), isPlaying: false, at: .now) == RemoteCommand(.skipForward, number: 15)
        )
        #expect(
            skips.remoteCommand(for: .seek(-15), isPlaying: false, at: .now) == RemoteCommand(.skipBackward, number: 15)
        )
        let jumps = try player([.changePlaybackPosition], "elapsed", "100")
        #expect(jumps.remoteCommand(for: .seek(15), isPlaying: false, at: .now)?.value == "115")
        #expect(jumps.remoteCommand(for: .seek(-150), isPlaying: false, at: .now)?.value == "0")
    }

    /// Time goes on from what was told, at the rate that was told, while the session plays.
    @Test func elapsedIsReckoned() throws {
        let start = HostTime(nanoseconds: 0)
        var player = SessionPlayer(at: start)
        player.commands = [.changePlaybackPosition]
        player.tell(
            try NowPlayingInfo(parsing: ["title", "A", "elapsed", "10", "rate", "2", "duration", "60"]),
            at: start
        )
        player.record(isPlaying: true, at: start)
        player.record(isPlaying: false, at: start + 5)
        // The same content, told again without a position.
        player.tell(try NowPlayingInfo(parsing: ["title", "A", "rate", "2", "duration", "60"]), at: start + 9)
        #expect(player.remoteCommand(for: .seek(0.5), isPlaying: false, at: start + 2_000)?.value == "20.5")
        // It does not go on beyond the end.
        player.record(isPlaying: true, at: start + 9)
        player.record(isPlaying: false, at: start + 1_000)
        #expect(player.remoteCommand(for: .seek(0), isPlaying: false, at: start + 2_000)?.value == "60")
        // Other content begins.
        player.tell(try NowPlayingInfo(parsing: ["title", "B"]), at: start + 1_000)
        #expect(player.remoteCommand(for: .seek(0), isPlaying: false, at: start + 2_000)?.value == "0")
    }
}
