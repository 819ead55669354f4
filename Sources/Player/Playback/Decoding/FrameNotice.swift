/// Decides when the output is notified of written frames: usually every half a second, so that it sleeps long; of the
/// first frames after a jump as soon as it can use them; of replacements at once.
///
/// A pure value.
struct FrameNotice: Hashable {
    private enum Urgency: Hashable {
        case usual
        /// The next frames are heard next.
        case landing
        /// Frames that the output has taken are out of date.
        case revised
    }

    /// Frames written since the output was last notified.
    private(set) var untold = 0
    private var urgency = Urgency.usual

    /// Marks that the next frames are heard next, after a wait.
    mutating func land() { if urgency != .revised { urgency = .landing } }

    /// Marks that frames the output may have taken are replaced.
    mutating func revise() { urgency = .revised }

    /// Marks that all written frames were dropped.
    mutating func restart() {
        untold = 0
        urgency = .landing
    }

    /// Adds frames that were written.
    ///
    /// - Parameters:
    ///   - lead: The frames that the output takes before anything is heard.
    ///   - stretch: The number of frames between two usual notices.
    /// - Returns: Whether the output is to be notified now.
    mutating func add(_ count: Int, lead: Int, stretch: Int) -> Bool {
        untold += count
        let enough =
            switch urgency {
            case .usual: stretch
            case .landing: lead
            case .revised: 0
            }
        guard count > 0, untold >= enough else { return false }
        urgency = .usual
        return true
    }

    /// Marks that the output is notified.
    ///
    /// - Returns: Whether frames were written since the last notice.
    mutating func tell() -> Bool {
        defer { untold = 0 }
        return untold > 0
    }
}
