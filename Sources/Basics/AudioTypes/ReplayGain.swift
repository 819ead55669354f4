/// The loudness correction a file carries, on ReplayGain's scale (89 dB SPL reference).
///
/// R128 tags (RFC 7845, section 5.2.1) are relative to −23 LUFS; 5 dB are added here to bring them to ReplayGain's
/// reference.
package struct ReplayGain: Sendable, Hashable {
    /// In dB.
    package var trackGain: Double?
    /// The largest sample's magnitude; full scale is 1.
    package var trackPeak: Double?
    /// In dB.
    package var albumGain: Double?
    /// The largest sample's magnitude; full scale is 1.
    package var albumPeak: Double?

    package init(
        trackGain: Double? = nil,
        trackPeak: Double? = nil,
        albumGain: Double? = nil,
        albumPeak: Double? = nil
    ) {
        self.trackGain = trackGain
        self.trackPeak = trackPeak
        self.albumGain = albumGain
        self.albumPeak = albumPeak
    }

    package var isEmpty: Bool { trackGain == nil && albumGain == nil }
}

/// The one of a file's corrections that is applied.
package enum ReplayGainMode: String, Sendable, Hashable, CaseIterable {
    case off
    case track
    case album
    /// Album while an album is played in order, else track.
    case auto
}

/// How corrections are applied.
package struct ReplayGainSettings: Sendable, Hashable {
    package var mode: ReplayGainMode
    /// Added to every correction, in dB.
    package var preamp: Double
    /// Used in place of a correction for files that have none, in dB.
    package var fallback: Double
    /// Whether a correction is lowered so far that the known peak does not exceed full scale.
    package var preventsClipping: Bool

    package init(
        mode: ReplayGainMode = .off,
        preamp: Double = 0,
        fallback: Double = 0,
        preventsClipping: Bool = true
    ) {
        self.mode = mode
        self.preamp = preamp
        self.fallback = fallback
        self.preventsClipping = preventsClipping
    }

    /// The gain for a file's samples.
    ///
    /// - Parameter playsAlbum: Whether an album is being played in order; decides for `.auto`.
    package func gain(for tags: ReplayGain, playsAlbum: Bool) -> Gain {
        let prefersAlbum: Bool
        switch mode {
        case .off: return .unity
        case .track: prefersAlbum = false
        case .album: prefersAlbum = true
        case .auto: prefersAlbum = playsAlbum
        }
        let track = (tags.trackGain, tags.trackPeak)
        let album = (tags.albumGain, tags.albumPeak)
        let (first, second) = prefersAlbum ? (album, track) : (track, album)
        let (decibels, peak) = first.0 == nil ? second : first
        guard let decibels else { return Gain(decibels: fallback) }
        let gain = Gain(decibels: decibels + preamp)
        guard preventsClipping, let peak, peak > 0, gain.linear * Float(peak) > 1 else { return gain }
        return Gain(linear: 1 / Float(peak))
    }
}
