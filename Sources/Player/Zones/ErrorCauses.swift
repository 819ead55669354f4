/// The errors in a zone, by cause: each ends by itself, and the gravest one is shown.
///
/// A pure value.
struct ErrorCauses: Sendable, Hashable {
    /// The gravest first.
    enum Cause: Int, CaseIterable, Sendable {
        /// The zone paused because the sink that it played to is gone.
        case route
        /// No output works.
        case output
        /// The connection of the current stream is lost.
        case stream
        /// A song cannot be played.
        case item
    }

    private var texts: [Cause: String] = [:]
    private var hidden: Set<Cause> = []

    subscript(cause: Cause) -> String? {
        get { texts[cause] }
        set {
            // A song that fails again is news; what goes on failing for the same reason is not.
            if cause == .item { hidden.remove(cause) }
            guard newValue != texts[cause] else { return }
            texts[cause] = newValue
            hidden.remove(cause)
        }
    }

    /// The gravest cause that is not hidden.
    ///
    /// - Parameter isStopped: Whether nothing is to be heard, so that silence is no error.
    func shown(isStopped: Bool) -> String? { shownCause(isStopped).flatMap { texts[$0] } }

    /// Hides the cause that is shown until it changes.
    ///
    /// - Returns: Whether one was shown.
    mutating func hide(isStopped: Bool) -> Bool {
        guard let cause = shownCause(isStopped) else { return false }
        hidden.insert(cause)
        return true
    }

    private func shownCause(_ isStopped: Bool) -> Cause? {
        Cause.allCases.first { cause in
            let matters = !isStopped || cause == .route || cause == .item
            return matters && texts[cause] != nil && !hidden.contains(cause)
        }
    }
}
