/// Choices where Apple is silent or has changed its mind.
package struct SessionPolicy: Hashable, Sendable {
    /// How long those that an interrupted session had interrupted wait for it to come back, in seconds.
    package var grace = 2.0
    /// Whether ducking others interrupts players of spoken audio even without the option that says so.
    package var duckingInterruptsSpokenAudio = false
    /// Whether a session that plays refuses to be deactivated, as before iOS 8.
    package var refusesBusyDeactivation = false

    package init() {}
}
