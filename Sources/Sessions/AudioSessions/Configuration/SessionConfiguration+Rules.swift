extension SessionConfiguration {
    /// The options, with the implied ones added.
    static func implied(by options: SessionOptions, category: SessionCategory, mode: SessionMode) -> SessionOptions {
        var implied = options
        if category == .ambient || options.contains(.duckOthers) { implied.insert(.mixWithOthers) }
        if mode == .voiceChat || mode == .videoChat { implied.insert(.allowBluetoothHFP) }
        if mode == .videoChat { implied.insert(.defaultToSpeaker) }
        return implied
    }

    /// Why a combination is illegal, and how to correct it.
    static func objection(
        to category: SessionCategory,
        mode: SessionMode,
        options: SessionOptions,
        policy: RouteSharingPolicy
    ) -> String? {
        if category == .audioProcessing {
            return "category audioProcessing no longer exists; use playback"
        }
        if let legal = categories(of: mode), !legal.contains(category) {
            return "mode \(mode) goes with \(list(legal)), not with \(category)"
        }
        return objection(to: options, category: category, mode: mode)
            ?? objection(to: policy, category: category, mode: mode, options: options)
    }

    /// The categories that a mode is limited to.
    private static func categories(of mode: SessionMode) -> [SessionCategory]? {
        switch mode {
        case .default, .spokenAudio, .voicePrompt: nil
        case .voiceChat, .videoChat, .gameChat: [.playAndRecord]
        case .videoRecording: [.playAndRecord, .record]
        case .measurement: [.playback, .record, .playAndRecord]
        case .moviePlayback, .shortFormVideo: [.playback]
        case .dualRoute: [.multiRoute]
        }
    }

    private static func objection(
        to options: SessionOptions,
        category: SessionCategory,
        mode: SessionMode
    ) -> String? {
        guard options.isKnown else { return "options 0x\(String(options.rawValue, radix: 16)) has an unknown bit" }
        for (name, option) in SessionOptions.named where options.contains(option) {
            if !isLegal(option, category: category, mode: mode) {
                return "option \(name) does not go with category \(category) in mode \(mode); leave it out"
            }
        }
        let implied = implied(by: options, category: category, mode: mode)
        if !implied.contains(.allowBluetoothHFP) {
            if options.contains(.farFieldInput) { return "option farFieldInput needs allowBluetoothHFP; add it" }
            if mode == .dualRoute { return "mode dualRoute needs option allowBluetoothHFP; add it" }
        }
        return nil
    }

    private static func isLegal(_ option: SessionOptions, category: SessionCategory, mode: SessionMode) -> Bool {
        let isPlainMultiRoute = category == .multiRoute && mode == .default
        let isDualRoute = category == .multiRoute && mode == .dualRoute
        let canMix = category == .playback || category == .playAndRecord || isPlainMultiRoute
        switch option {
        case .mixWithOthers, .duckOthers:
            return canMix || category == .ambient
        case .interruptSpokenAudioAndMixWithOthers:
            return canMix
        case .allowBluetoothHFP, .farFieldInput:
            return category == .playAndRecord || category == .record || isDualRoute
        case .defaultToSpeaker, .allowBluetoothA2DP, .allowAirPlay:
            return category == .playAndRecord
        case .overrideMutedMicrophoneInterruption:
            return category.hasInput && category.hasOutput
        case .bluetoothHighQualityRecording:
            return category.hasInput && category.hasOutput && mode == .default
        default:
            return false
        }
    }

    private static func objection(
        to policy: RouteSharingPolicy,
        category: SessionCategory,
        mode: SessionMode,
        options: SessionOptions
    ) -> String? {
        switch policy {
        case .default:
            return nil
        case .independent:
            return "only the system sets policy independent; use default"
        case .longFormAudio, .longFormVideo:
            guard category == .playback, [.default, .moviePlayback, .spokenAudio].contains(mode) else {
                return "policy \(policy) goes with playback in mode default, moviePlayback or spokenAudio"
            }
            return options.isEmpty ? nil : "policy \(policy) allows no options; leave them out"
        }
    }

    private static func list(_ categories: [SessionCategory]) -> String {
        categories.map(\.rawValue).joined(separator: ", ")
    }
}
