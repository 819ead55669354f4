/// How exact a seek must be (AVPlayer's `toleranceBefore` and `toleranceAfter`).
package enum SeekTolerance: Sendable, Hashable {
    /// To the sample.
    case exact
    /// Anywhere in `target - before ... target + after`, wherever decoding can begin soonest. Neither may be negative.
    case within(before: MediaTime, after: MediaTime)
}
