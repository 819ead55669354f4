/// Choices where Apple's documentation is silent or has changed.
package struct SessionPolicy: Hashable, Sendable {
    /// Seconds for which sessions wait for their interrupter to resume, when it is interrupted itself: so many that they
    /// are heard again after two.
    package var grace = 1.75
    /// Whether ducking others interrupts players of spoken audio even without that option.
    package var duckingInterruptsSpokenAudio = false
    /// Whether a playing session refuses to be deactivated, as before iOS 8.
    package var refusesBusyDeactivation = false

    package init() {}
}
