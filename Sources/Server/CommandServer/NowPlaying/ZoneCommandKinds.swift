internal import NowPlaying

/// The commands that zones take.
enum ZoneCommandKinds {
    static let all: Set<RemoteCommand.Kind> = [
        .play, .pause, .stop, .togglePlayPause, .nextTrack, .previousTrack, .skipForward, .skipBackward,
        .changePlaybackPosition, .changePlaybackRate, .changeRepeatMode, .changeShuffleMode,
    ]
}
