internal import Outputs

/// Holds a member that would take frames as fast as they come to the clock of another.
///
/// A file then contains what was heard, and nothing that was skipped.
struct Pace: Sendable {
    /// The clock to follow, in the group's frames.
    var clock: @Sendable () -> OutputClock
    /// Seconds of frames that the member gets before they are heard.
    var ahead: Double
    /// Seconds of frames that it gets at once.
    var period: Double
    /// Seconds of heard frames that it gets first when it takes frames again.
    var behind = 0.0
}
