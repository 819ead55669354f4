/// How often each command has been carried out since the server started.
///
/// Belongs to the server's event loop.
final class CommandCounts {
    struct Count {
        var all = 0
        /// Those of them that failed or were refused.
        var failed = 0
    }

    /// By the names of the table's commands.
    private(set) var counts: [String: Count] = [:]

    /// - Parameter command: Its name in the table.
    func began(_ command: String) { counts[command, default: Count()].all += 1 }

    func failed(_ command: String) { counts[command, default: Count()].failed += 1 }
}
