package import NowPlaying

/// The commands that zones take.
package enum ZoneCommandKinds {
    package static let all: Set<RemoteCommand.Kind> = [
        .play, .pause, .stop, .togglePlayPause, .nextTrack, .previousTrack, .skipForward, .skipBackward,
        .changePlaybackPosition, .changePlaybackRate, .changeRepeatMode, .changeShuffleMode,
    ]
}
