internal import AudioTypes
internal import Playback

/// Plays an announcement, and tells when its last sample was heard, or why it cannot be.
func follow(
    _ player: Player,
    _ media: [MediaEntry],
    volume: Volume,
    after wait: Double,
    ended: @escaping @Sendable (String?) -> Void
) async {
    let events = await player.events()
    let items = await player.append(media)
    await player.setVolume(volume)
    if wait > 0 { try? await Task.sleep(for: .seconds(wait)) }
    await player.play()
    var loss: String?
    for await event in events {
        switch event {
        case .outputLost(let reason): loss = reason
        case .outputRestored: loss = nil
        case .statusChanged(let status):
            // The player's patience has ended.
            if let loss, status.timeControlStatus == .paused { return ended(loss) }
        case .itemFailed(let item):
            // Without its chime an announcement is still one.
            guard item.id == items.last, case .failed(let reason) = item.status else { continue }
            return ended(reason)
        case .outputFailed(let reason): return ended(reason)
        case .queueEnded: return ended(nil)
        default: continue
        }
    }
    ended("it was stopped")
}
