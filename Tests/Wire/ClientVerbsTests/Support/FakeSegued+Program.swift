import TestSupport

extension FakeSegued {
    /// Runs `segue` with this server as its own, and waits for its end.
    func segue(_ words: String...) async throws -> ChildProcess.Result { try await start(words).wait() }

    /// Starts it.
    func start(_ words: [String], input: ChildProcess.Input = .nothing) throws -> ChildProcess {
        try ChildProcess(
            try Segue.path(),
            words,
            environment: Segue.environment(["SEGUE_HOST": path]),
            input: input
        )
    }
}
