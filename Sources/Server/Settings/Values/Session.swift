/// How sessions give way to each other.
package struct SessionSettings: Sendable, Hashable {
    /// How long what is interrupted takes to fall silent, before the interrupter sounds.
    package var fade: Duration = .milliseconds(100)
    /// By how many dB the others are lowered.
    package var duck = 14.0
    /// How long that takes, down and up.
    package var duckRamp: Duration = .milliseconds(120)

    package init() {}
}

/// What a zone's player is as a session, in AVAudioSession's names.
///
/// The names are known ones; whether they go together is for the arbiter to say.
package struct ZoneSession: Sendable, Hashable {
    package var category = "playback"
    package var mode = "default"
    package var options: [String] = []
    /// Whether it plays on by itself after an interruption.
    package var resumesAutomatically = true

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
