package import AudioTypes

/// A zone's options besides those of its queue.
package struct PlaybackOptions: Sendable, Hashable {
    /// Seconds of crossfade; 0 for none.
    package var crossfade = 0
    /// In dB, the level at which songs overlap.
    package var mixRampThreshold: Double = 0
    /// Seconds; `nil` turns MixRamp off.
    package var mixRampDelay: Double?
    package var replayGain = ReplayGainSettings()
    /// 0.25 to 4.
    package var speed: Double = 1
    /// Whether the pitch stays when the speed changes.
    package var keepsPitch = true
    /// The languages of which the first that a medium has audio in is played; else it is the medium's default.
    package var audioLanguages: [LanguageCode] = []

    package init() {}

    /// The crossfades that the configuration may set, in seconds.
    package static let crossfades = 0...60
    /// In dB.
    package static let thresholds = -200.0...200.0
    /// Seconds by which songs may overlap less.
    package static let mixRampDelays = 0.0...60.0
}
