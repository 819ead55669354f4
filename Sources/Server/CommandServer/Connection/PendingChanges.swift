internal import ServerBasics
internal import ServerRequests

/// The changes that a client was not told of yet, and those that it waits for.
struct PendingChanges {
    private var pending: Subsystems = []
    private var awaited: Subsystems?

    /// Whether the client waits for changes.
    var isIdle: Bool { awaited != nil }

    /// Adds changes.
    ///
    /// - Returns: The changes to tell the client now, which ends its wait; `nil` when it waits for none of them.
    mutating func add(_ changes: Subsystems) -> Subsystems? {
        pending.formUnion(changes)
        return due()
    }

    /// Begins to wait.
    ///
    /// - Returns: The changes to tell the client at once; `nil` when it waits.
    mutating func wait(for subsystems: Subsystems) -> Subsystems? {
        awaited = subsystems
        return due()
    }

    /// Ends the wait without a change.
    ///
    /// - Returns: Whether the client waited.
    mutating func cancel() -> Bool { awaited.take() != nil }

    private mutating func due() -> Subsystems? {
        guard let awaited, !pending.isDisjoint(with: awaited) else { return nil }
        let told = pending.intersection(awaited)
        pending.subtract(told)
        self.awaited = nil
        return told
    }
}
