/// AVAudioSession's categories, under Apple's names.
package enum SessionCategory: String, CaseIterable, Sendable {
    case ambient
    case soloAmbient
    case playback
    case record
    case playAndRecord
    case multiRoute
    /// Only the name is known: Apple removed it, and no configuration has it.
    case audioProcessing

    /// Whether such a session may capture sound.
    package var hasInput: Bool {
        switch self {
        case .record, .playAndRecord, .multiRoute: true
        case .ambient, .soloAmbient, .playback, .audioProcessing: false
        }
    }

    /// Whether such a session is of no use without a microphone.
    package var needsInput: Bool { self == .record || self == .playAndRecord }

    /// Whether such a session may play sound.
    package var hasOutput: Bool {
        switch self {
        case .ambient, .soloAmbient, .playback, .playAndRecord, .multiRoute: true
        case .record, .audioProcessing: false
        }
    }

    /// Whether the silence switch and the lock mute it, and going to the background ends it.
    package var isSilenceable: Bool { self == .ambient || self == .soloAmbient }
}

/// AVAudioSession's modes, under Apple's names.
package enum SessionMode: String, CaseIterable, Sendable {
    case `default`
    case voiceChat
    case videoChat
    case gameChat
    case videoRecording
    case measurement
    case moviePlayback
    /// Speech that should be interrupted rather than mixed with.
    case spokenAudio
    case voicePrompt
    case shortFormVideo
    case dualRoute
}

/// AVAudioSession's route sharing policies, under Apple's names and numbers.
package enum RouteSharingPolicy: Int, CaseIterable, Sendable {
    case `default` = 0
    case longFormAudio = 1
    case independent = 2
    case longFormVideo = 3

    package var name: String {
        switch self {
        case .default: "default"
        case .longFormAudio: "longFormAudio"
        case .independent: "independent"
        case .longFormVideo: "longFormVideo"
        }
    }

    package init?(name: String) {
        guard let policy = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = policy
    }
}
