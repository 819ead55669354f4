import TestSupport

/// Segue's daemon with files in its queue, told what to do through the protocol.
final class Segued: ControlledPlayer {
    private let daemon: LineDaemon
    private let socket: LineSocket

    var process: ChildProcess { daemon.process }

    init(_ files: [String], on server: some SoundServer) async throws {
        daemon = try await LineDaemon(.segued, on: server)
        socket = try await LineSocket.connect(to: daemon.socket, of: daemon.process)
        _ = try socket.readLine()
        for file in files { _ = try command("add \"\(file)\"") }
    }

    private func command(_ line: String) throws -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        try socket.write(line)
        while true {
            let line = try socket.readLine()
            if line == "OK" { return now }
            if line.hasPrefix("ACK") { throw LineSocketError.refused(line) }
        }
    }

    func play() async throws -> ContinuousClock.Instant { try command("play 0") }
    func stop() async throws { _ = try command("stop") }
    func pause() async throws -> ContinuousClock.Instant { try command("pause 1") }
    func resume() async throws -> ContinuousClock.Instant { try command("pause 0") }
    func seek(to seconds: Double) async throws -> ContinuousClock.Instant { try command("seekcur \(seconds)") }
    func next() async throws -> ContinuousClock.Instant { try command("next") }
}
