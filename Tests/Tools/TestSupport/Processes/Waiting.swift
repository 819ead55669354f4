private import Glibc

extension Duration {
    /// How long a test waits for what must come: a machine that others share may stand still for a minute.
    package static let patience: Duration = .seconds(150)
}

/// What did not come in time.
package struct WaitError: Error, CustomStringConvertible {
    package let description: String
}

/// Looks again and again until something is so.
///
/// - Parameter what: What is waited for, as a failure names it.
/// - Throws: `WaitError` when it is not so after `limit`.
package func wait(for what: String, within limit: Duration = .patience, until isSo: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + limit
    while try !isSo() {
        guard ContinuousClock.now < deadline else {
            throw WaitError(description: "waited \(limit) in vain for \(what)")
        }
        usleep(2_000)
    }
}
