internal import AudioTypes
internal import Playback
package import Playlists

/// Modes, volume and the like.
extension Zone {
    package func setRepeat(_ isOn: Bool) { modeChanged(queue.setRepeat(isOn)) }
    package func setRandom(_ isOn: Bool) { modeChanged(queue.setRandom(isOn)) }
    package func setSingle(_ value: QueueModes.Switch) { modeChanged(queue.setSingle(value)) }
    package func setConsume(_ value: QueueModes.Switch) { modeChanged(queue.setConsume(value)) }

    private func modeChanged(_ isChanged: Bool) {
        guard isChanged else { return }
        updateFollowing()
        tell(.options)
    }

    /// Changes options and applies them to the player.
    package func change(_ body: (inout PlaybackOptions) -> Void) {
        let before = options
        body(&options)
        if options.speed > speedCeiling {
            options.speed = speedCeiling
            // A client that asks for more is told, so that its slider comes back.
            if options == before { tell(.options) }
        }
        guard options != before else { return }
        applyOptions(since: before)
        tell(.options)
    }

    /// Sets the volume, at most to the ceiling.
    ///
    /// - Parameter percent: 0 to 100.
    package func setVolume(_ percent: Int) throws(ZoneError) {
        guard hasMixer else { throw .noMixer }
        // A client that asks for more is told, so that its slider comes back.
        if percent > volumeCeiling { tell(.mixer) }
        let percent = min(percent, volumeCeiling)
        guard percent != volume else { return }
        volume = percent
        applyVolume()
        tell(.mixer)
    }

    /// The volume as clients see it; `nil` without a mixer.
    package var shownVolume: Int? { hasMixer ? volume : nil }

    func holdVolume() {
        let isLouder = volume > volumeCeiling
        volume = min(volume, volumeCeiling)
        applyVolume()
        if isLouder { tell(.mixer) }
    }

    func holdSpeed() { if options.speed > speedCeiling { change { _ in } } }

    func applyVolume() {
        let volume = Volume(percent: Double(volume))
        let ceiling = volumeCeiling < 100 ? Volume(percent: Double(volumeCeiling)) : nil
        link?.send { player in
            player.setVolume(volume)
            player.setVolumeCeiling(ceiling)
        }
    }

    /// - Parameter before: The options that the player has; `nil` for none yet.
    func applyOptions(since before: PlaybackOptions? = nil) {
        let options = options
        link?.send { player in
            if options.replayGain != before?.replayGain { player.setReplayGain(options.replayGain) }
            if options.keepsPitch != before?.keepsPitch {
                player.setTimePitchAlgorithm(options.keepsPitch ? .timeDomain : .varispeed)
            }
            // It was checked where it came in.
            if options.speed != before?.speed { try? player.setSpeed(options.speed) }
            if options.crossfade != before?.crossfade { player.setCrossfade(seconds: Double(options.crossfade)) }
            if options.audioLanguages != before?.audioLanguages { player.setAudioTrack(options.automaticAudio) }
            let (threshold, delay) = (options.mixRampThreshold, options.mixRampDelay)
            if threshold != before?.mixRampThreshold || delay != before?.mixRampDelay {
                player.setMixRamp(threshold: threshold, delay: delay ?? .nan)
            }
        }
    }
}
