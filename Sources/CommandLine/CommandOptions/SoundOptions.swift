import ArgumentParser
package import AudioTypes
import ValueText

/// The effect of a speed other than 1 on the pitch.
package enum PitchOption: String, Sendable, Hashable, CaseIterable, ExpressibleByArgument {
    /// The pitch is kept.
    case keep
    /// As on a tape.
    case follow
}

extension ReplayGainMode: ExpressibleByArgument {}

/// The options of `play` that change the sound.
package struct SoundOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp("Volume in percent, 0 to 150 (default: 100).", valueName: "percent"),
        transform: { Volume(percent: try NumberArgument.parse($0, in: 0...150, unit: "%")) }
    )
    package var volume = Volume.full

    @Option(
        help: ArgumentHelp("Speed, 0.25 to 4 (default: 1).", valueName: "factor"),
        transform: { try NumberArgument.parse($0, in: 0.25...4, unit: "x") }
    )
    package var speed = 1.0

    @Option(help: "Whether a changed speed keeps the pitch.")
    package var pitch = PitchOption.keep

    @Option(name: .customLong("replaygain"), help: "Normalise loudness by the files' ReplayGain or R128 tags.")
    package var replayGain = ReplayGainMode.off

    @Option(
        name: .customLong("replaygain-preamp"),
        help: ArgumentHelp("Added to each file's correction (default: 0).", valueName: "dB"),
        transform: { try NumberArgument.parse($0, in: -30...30, unit: "dB") }
    )
    package var replayGainPreamp = 0.0

    @Option(
        name: .customLong("replaygain-fallback"),
        help: ArgumentHelp("The correction of files that have none (default: 0).", valueName: "dB"),
        transform: { try NumberArgument.parse($0, in: -60...30, unit: "dB") }
    )
    package var replayGainFallback = 0.0

    @Flag(
        name: .customLong("replaygain-clip"),
        inversion: .prefixedNo,
        help: "Whether a correction may drive a file's peaks over full scale."
    )
    package var replayGainClip = false

    @Flag(inversion: .prefixedNo, help: "Join items without a gap.")
    package var gapless = true

    package init() {}

    package var replayGainSettings: ReplayGainSettings {
        ReplayGainSettings(
            mode: replayGain,
            preamp: replayGainPreamp,
            fallback: replayGainFallback,
            preventsClipping: !replayGainClip
        )
    }
}
