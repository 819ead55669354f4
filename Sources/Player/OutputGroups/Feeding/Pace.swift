internal import Outputs

/// How a member that would take frames as fast as they come is held to the time of another.
///
/// So a file holds what was heard, and nothing that was skipped.
struct Pace: Sendable {
    /// What is heard, in the group's frames.
    var clock: @Sendable () -> OutputClock
    /// Seconds of frames that the member gets before they are heard.
    var ahead: Double
    /// Seconds of frames that it gets at once.
    var period: Double
}
