import TestSupport

/// A player that runs and is told what to do; every command returns the moment at which it was given.
protocol ControlledPlayer: Sendable {
    var process: ChildProcess { get }

    /// Plays the files from the first one's start; the player was stopped before.
    func play() async throws -> ContinuousClock.Instant
    func stop() async throws
    func pause() async throws -> ContinuousClock.Instant
    func resume() async throws -> ContinuousClock.Instant
    func seek(to seconds: Double) async throws -> ContinuousClock.Instant
    func next() async throws -> ContinuousClock.Instant
}

enum ControlledPlayers {
    /// Starts one, with files to play; `nil` when it is not installed or cannot be controlled.
    static func start(
        _ contestant: Contestant,
        _ files: [String],
        on server: some SoundServer
    ) async throws -> (any ControlledPlayer)? {
        guard contestant.isInstalled else { return nil }
        switch contestant {
        case .segue: return try await SeguePlayer(files, environment: server.clientEnvironment)
        case .mpd: return try await MPD(files, on: server)
        case .segued: return try await Segued(files, on: server)
        case .mpv: return try await MPV(files, on: server)
        case .paplay, .mpg123: return nil
        }
    }
}
