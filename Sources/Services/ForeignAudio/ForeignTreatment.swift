internal import AudioSessions
internal import Outputs
internal import Settings

/// The session of another program's stream, decided by its role and the configured rules: a pure value.
enum ForeignTreatment: Hashable {
    /// The stream is left alone.
    case ignored
    case session(SessionClass, SessionConfiguration)

    /// - Throws: The fault of the rule that applies.
    init(of stream: PulseStream, by rules: [ForeignRule]) throws(SessionError) {
        let names = [stream.applicationName, stream.applicationID]
        let rule = rules.first { $0.matches(names: names, binary: stream.binary, role: stream.role) }
        guard rule?.isIgnored != true else {
            self = .ignored
            return
        }
        let usual = Self.usual(for: stream.role)
        self = .session(usual.sessionClass, try Self.configuration(rule, usual))
    }

    /// The treatment of a stream whose role no rule mentions.
    init(of stream: PulseStream) {
        let usual = Self.usual(for: stream.role)
        self = .session(usual.sessionClass, (try? Self.configuration(nil, usual)) ?? .initial)
    }

    /// The treatment of a role.
    private struct Usual {
        var sessionClass = SessionClass.normal
        var category = SessionCategory.playback
        var mode = SessionMode.default
        var options: SessionOptions = .mixWithOthers
    }

    /// PulseAudio's roles, and PipeWire's where they differ.
    private static func usual(for role: String) -> Usual {
        switch role {
        case "phone", "communication":
            Usual(sessionClass: .call, category: .playAndRecord, mode: .voiceChat, options: [])
        case "event", "notification": Usual(category: .ambient)
        case "a11y", "accessibility":
            Usual(mode: .voicePrompt, options: [.duckOthers, .interruptSpokenAudioAndMixWithOthers])
        default: Usual()
        }
    }

    private static func configuration(
        _ rule: ForeignRule?,
        _ usual: Usual
    ) throws(SessionError) -> SessionConfiguration {
        let category = rule?.category.flatMap(SessionCategory.init) ?? usual.category
        let isUsual = category == usual.category
        let mode = rule?.mode.flatMap(SessionMode.init) ?? (isUsual ? usual.mode : .default)
        let canMix = [.playback, .playAndRecord, .ambient].contains(category)
        let options = rule?.options.map { SessionOptions($0.compactMap(SessionOptions.init(name:))) }
        return try SessionConfiguration(
            category: category,
            mode: mode,
            options: options ?? (isUsual ? usual.options : canMix ? .mixWithOthers : [])
        )
    }
}

extension PulseStream {
    /// The name of the stream's program for people.
    var title: String {
        [applicationName, mediaName, binary].first { !$0.isEmpty } ?? "stream \(index)"
    }

    /// The program, for a session's owner.
    var program: String { [binary, applicationID].first { !$0.isEmpty } ?? "unknown" }
}
