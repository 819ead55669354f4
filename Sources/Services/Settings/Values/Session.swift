/// The settings of arbitration between sessions.
package struct SessionSettings: Sendable, Hashable {
    /// The fade-out of interrupted sessions, before the interrupter starts.
    package var fade: Duration = .milliseconds(100)
    /// By how many dB other sessions are ducked.
    package var duck = 14.0
    /// The ramp of ducking, down and up.
    package var duckRamp: Duration = .milliseconds(120)
    /// How long sessions and interruptions that are not bound to a connection outlive the one that last named them.
    package var lease: Duration = .seconds(3_600)

    package init() {}
}

/// The session of a zone's player, in AVAudioSession's terms.
///
/// Only the names are checked here; the arbiter checks whether they are compatible.
package struct ZoneSession: Sendable, Hashable {
    package var category = "playback"
    package var mode = "default"
    package var options: [String] = []
    /// Whether playback resumes by itself after an interruption.
    package var resumesAutomatically = true
    /// The zone's highest volume, 0 to 100 percent.
    package var maxVolume = 100

    package init() {}

    package static let categories = [
        "ambient", "soloAmbient", "playback", "record", "playAndRecord", "multiRoute", "audioProcessing",
    ]
    package static let modes = [
        "default", "voiceChat", "videoChat", "gameChat", "videoRecording", "measurement", "moviePlayback",
        "spokenAudio", "voicePrompt", "shortFormVideo", "dualRoute",
    ]
    package static let optionNames = [
        "mixWithOthers", "duckOthers", "allowBluetoothHFP", "defaultToSpeaker",
        "interruptSpokenAudioAndMixWithOthers", "allowBluetoothA2DP", "allowAirPlay",
        "overrideMutedMicrophoneInterruption", "farFieldInput", "bluetoothHighQualityRecording",
    ]
}
