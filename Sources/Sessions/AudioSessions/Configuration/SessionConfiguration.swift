/// A session's category, mode, options and route sharing policy: always a legal combination.
///
/// Implied options are part of ``options``: ducking and interrupting spoken audio imply mixing, `ambient` always
/// mixes, and the chat modes add the options that they need.
package struct SessionConfiguration: Hashable, Sendable {
    package let category: SessionCategory
    package let mode: SessionMode
    package let options: SessionOptions
    package let policy: RouteSharingPolicy

    /// The configuration of a new session.
    package static let initial = SessionConfiguration(
        unchecked: .soloAmbient,
        mode: .default,
        options: [],
        policy: .default
    )

    /// Checks the combination and adds the implied options.
    package init(
        category: SessionCategory,
        mode: SessionMode = .default,
        options: SessionOptions = [],
        policy: RouteSharingPolicy = .default
    ) throws(SessionError) {
        if let objection = Self.objection(to: category, mode: mode, options: options, policy: policy) {
            throw SessionError(.badParam, objection)
        }
        let implied = Self.implied(by: options, category: category, mode: mode)
        self.init(unchecked: category, mode: mode, options: implied, policy: policy)
    }

    init(unchecked category: SessionCategory, mode: SessionMode, options: SessionOptions, policy: RouteSharingPolicy) {
        self.category = category
        self.mode = mode
        self.options = options
        self.policy = policy
    }

    /// Whether it neither interrupts ordinary sessions nor is interrupted by them.
    package var isMixable: Bool { options.contains(.mixWithOthers) }

    package var isSpoken: Bool { mode == .spokenAudio }

    package var ducksOthers: Bool { options.contains(.duckOthers) }

    package var interruptsSpokenAudio: Bool { options.interruptsSpokenAudio }
}
