internal import Outputs

/// A stream's level as the user wants it, while arbitration has it lowered or muted: a pure value.
struct HeldLevel: Hashable {
    enum Hold: Hashable {
        case none
        /// By some dB.
        case lowered(Double)
        case muted
    }

    enum Step: Hashable {
        case nothing
        /// Write the original down, and then lead the stream to this level.
        case hold(original: StreamLevel, StreamLevel)
        /// Lead the stream back to its original level.
        case giveBack(StreamLevel)
        /// The stream has its own level: nothing is to be given back.
        case forget
    }

    /// How far the orders for a level have come.
    enum Progress: Hashable {
        /// One was given that the sound server has not begun with.
        case ordered
        /// The sound server has not reported its result yet.
        case begun
        case settled
    }

    private(set) var hold = Hold.none
    /// The level that the stream gets back; `nil` while it has its own.
    private(set) var original: StreamLevel?
    private var current: StreamLevel

    /// - Parameter original: The level of an earlier stream, which was held until its end, if this one took it up.
    init(_ current: StreamLevel, inherited original: StreamLevel? = nil) {
        self.current = current
        self.original = original
    }

    /// The arbiter has decided otherwise.
    mutating func want(_ hold: Hold) -> Step {
        guard hold != self.hold else { return .nothing }
        self.hold = hold
        return step()
    }

    /// The step that leads to what is wanted.
    private mutating func step() -> Step {
        guard let target = target(for: original ?? current) else {
            return original.map { .giveBack($0) } ?? .nothing
        }
        let original = original ?? current
        self.original = original
        return .hold(original: original, target)
    }

    /// Leads a stream back that has inherited its level.
    mutating func begin() -> Step { original == nil ? .nothing : step() }

    /// The level could not be written down, and is not changed.
    mutating func abandon() { original = nil }

    /// Whether the stream is still to be held at a level, and to get back another one.
    func isHeld(at level: StreamLevel, of original: StreamLevel) -> Bool {
        self.original == original && target(for: original) == level
    }

    private func target(for original: StreamLevel) -> StreamLevel? {
        // A stream that the user has muted stays as it is.
        guard !original.isMuted else { return nil }
        return switch hold {
        case .none: nil
        case .lowered(let decibels): original.lowered(by: decibels)
        case .muted: original.muted
        }
    }

    /// The server reports the stream's level.
    ///
    /// - Parameters:
    ///   - isSet: Whether it is one that it was given here; otherwise it is the user's, and stays.
    ///   - progress: How far the orders for the level have come.
    mutating func report(_ level: StreamLevel, isSet: Bool, _ progress: Progress = .settled) -> Step {
        let isAsKnown = level.isClose(to: current)
        current = level
        guard let original else { return .nothing }
        guard isSet || isAsKnown else {
            // An order that is on its way replaces the user's level, which the stream then gets back.
            self.original = progress == .ordered ? level : nil
            return progress == .ordered ? step() : .forget
        }
        guard progress == .settled, target(for: original) == nil, level.isClose(to: original) else { return .nothing }
        self.original = nil
        return .forget
    }
}
