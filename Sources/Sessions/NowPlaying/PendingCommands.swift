/// The commands that wait for their players' answers, each under a token; a pure value.
package struct PendingCommands<ID: Hashable & Sendable, Waiter> {
    private var waiting: [Int: (session: ID, waiter: Waiter)] = [:]
    private var newest = 0

    /// How many may wait at a time; further ones fail.
    package static var limit: Int { 1_024 }
    /// How long an answer may take, in seconds; then the command has failed.
    package static var patience: Double { 1 }

    package init() {}

    /// - Returns: The command's token; `nil` when too many wait.
    package mutating func enter(_ waiter: Waiter, for session: ID) -> Int? {
        guard waiting.count < Self.limit else { return nil }
        newest += 1
        waiting[newest] = (session, waiter)
        return newest
    }

    /// - Returns: The session that a token's command went to; `nil` once it was answered, or too late.
    package func session(of token: Int) -> ID? { waiting[token]?.session }

    /// - Returns: The one who waits for the answer; `nil` once it was given, or too late.
    package mutating func take(_ token: Int) -> Waiter? { waiting.removeValue(forKey: token)?.waiter }

    /// Takes all that wait for a session, which is gone.
    package mutating func takeAll(of session: ID) -> [Waiter] {
        let tokens = waiting.filter { $0.value.session == session }.keys.sorted()
        return tokens.compactMap { take($0) }
    }
}
