import AudioTypes
import CommandOptions
import DBus
import Foreground
import MPRIS
import Playback

/// Media keys, headsets and desktops, over the user's message bus.
extension PlaySession {
    /// Makes the player one on the bus, unless it writes faster than is heard.
    static func remotePlayer(
        of player: Player,
        _ options: PlayOptions,
        _ source: AsyncStream<Input>.Continuation
    ) -> RemotePlayer? {
        guard options.display.mpris, playsInRealTime(options) else { return nil }
        return RemotePlayer(player, busThread) { source.yield(.remote($0, $1)) }
    }

    /// Serves the message buses.
    static let busThread = BusThread()

    static func playsInRealTime(_ options: PlayOptions) -> Bool {
        options.output.output.usesDevice || options.output.output == .null
    }

    /// Carries out a command, and answers it when the bus shows what it led to.
    func obey(_ command: MediaPlayerCommand, _ answer: BusAnswer) {
        order { [self] in
            await carryOut(command)
            remote?.show()
            answer(.success([]))
        }
    }

    private func carryOut(_ command: MediaPlayerCommand) async {
        switch command {
        case .play: if player.status.rate == 0 { await playIfAdmitted() }
        case .pause: await pauseForGood()
        case .playPause: await togglePause()
        case .stop:
            await pauseForGood()
            _ = await player.seek(to: .zero)
            remote?.stopped()
        case .next: await leaveItem(by: true)
        case .previous: await leaveItem(by: false)
        case .seek(let offset): await seek(by: offset)
        case .setPosition(let track, let time):
            guard player.status.currentItem.map({ RemotePlayer.path(of: $0.id) }) == track else { return }
            _ = await player.seek(to: MediaTime(seconds: time))
        case .setLoop(let loop):
            wanted.loopMode = loop == .track ? .item : loop == .playlist ? .queue : .off
            await player.setLoopMode(wanted.loopMode)
        case .setRate(let rate):
            wanted.defaultRate = rate
            try? await player.setSpeed(rate)
        case .setVolume(let volume):
            wanted.volume = Volume(percent: volume * 100)
            await player.setVolume(wanted.volume)
        case .quit: source.yield(.sleepIsOver)
        case .open, .setShuffle, .tracks, .addTrack, .removeTrack, .goTo, .activatePlaylist, .playlists: break
        }
    }

    /// Pauses; an interrupted player does not come back by itself then.
    private func pauseForGood() async {
        if interruption != nil { interruption = (wasPlaying: false, ()) }
        if player.status.rate != 0 { await player.pause() }
    }

    private func leaveItem(by forwards: Bool) async {
        remember()
        if forwards { await player.advanceToNextItem() } else { await player.returnToPreviousItem() }
    }

    private func seek(by offset: Double) async {
        let duration = player.status.currentItem?.duration?.seconds
        switch SeekTarget(by: offset, from: player.currentTime().seconds, duration: duration) {
        case .time(let time): _ = await player.seek(to: MediaTime(seconds: time))
        case .nextTrack: await leaveItem(by: true)
        }
    }
}
