/// AVAudioSession's category options, under Apple's names and values.
package struct SessionOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt

    package init(rawValue: UInt) { self.rawValue = rawValue }

    package static let mixWithOthers = SessionOptions(rawValue: 0x1)
    package static let duckOthers = SessionOptions(rawValue: 0x2)
    package static let allowBluetoothHFP = SessionOptions(rawValue: 0x4)
    package static let defaultToSpeaker = SessionOptions(rawValue: 0x8)
    /// Includes `mixWithOthers`; ``interruptsSpokenAudio`` distinguishes the two.
    package static let interruptSpokenAudioAndMixWithOthers = SessionOptions(rawValue: 0x11)
    package static let allowBluetoothA2DP = SessionOptions(rawValue: 0x20)
    package static let allowAirPlay = SessionOptions(rawValue: 0x40)
    package static let overrideMutedMicrophoneInterruption = SessionOptions(rawValue: 0x80)
    package static let farFieldInput = SessionOptions(rawValue: 1 << 18)
    package static let bluetoothHighQualityRecording = SessionOptions(rawValue: 1 << 19)

    /// All options, in the order of their values.
    package static let named: [(name: String, option: SessionOptions)] = [
        ("mixWithOthers", .mixWithOthers),
        ("duckOthers", .duckOthers),
        ("allowBluetoothHFP", .allowBluetoothHFP),
        ("defaultToSpeaker", .defaultToSpeaker),
        ("interruptSpokenAudioAndMixWithOthers", .interruptSpokenAudioAndMixWithOthers),
        ("allowBluetoothA2DP", .allowBluetoothA2DP),
        ("allowAirPlay", .allowAirPlay),
        ("overrideMutedMicrophoneInterruption", .overrideMutedMicrophoneInterruption),
        ("farFieldInput", .farFieldInput),
        ("bluetoothHighQualityRecording", .bluetoothHighQualityRecording),
    ]

    /// The option of that name; `allowBluetooth` is an old name of `allowBluetoothHFP`.
    package init?(name: String) {
        let name = name == "allowBluetooth" ? "allowBluetoothHFP" : name
        guard let option = Self.named.first(where: { $0.name == name })?.option else { return nil }
        self = option
    }

    /// The names of the options that are set, in the order of their values.
    package var names: [String] { Self.named.filter { contains($0.option) }.map(\.name) }

    /// Whether players of spoken audio are interrupted.
    package var interruptsSpokenAudio: Bool { rawValue & 0x10 != 0 }

    /// Whether all bits belong to options that are set completely.
    var isKnown: Bool {
        rawValue == Self.named.filter { contains($0.option) }.reduce(0) { $0 | $1.option.rawValue }
    }
}
