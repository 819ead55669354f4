import TestSupport

/// MPD with a configuration of its own and nothing in it but one output.
final class MPD: ControlledPlayer {
    let process: ChildProcess
    private let folder: TemporaryFolder
    private let socket: LineSocket

    init(_ files: [String], on server: some SoundServer) async throws {
        folder = try TemporaryFolder()
        let address = folder.file("mpd.sock")
        let configuration = try folder.write(
            "mpd.conf",
            """
            music_directory "\(folder.path)"
            bind_to_address "\(address)"
            log_file "\(folder.file("log"))"
            connection_timeout "100000"
            audio_output {
                type "pulse"
                name "bench"
                server "\(server.address)"
                sink "\(server.sink.name)"
            }

            """
        )
        process = try ChildProcess("mpd", ["--no-daemon", configuration], environment: server.clientEnvironment)
        socket = try await LineSocket.connect(to: address, of: process)
        _ = try socket.readLine()
        for file in files { try command("add \"\(file)\"") }
    }

    /// Sends a command and reads what it answers.
    @discardableResult
    func command(_ line: String) throws -> [String] {
        try socket.write(line)
        var answer: [String] = []
        while true {
            let line = try socket.readLine()
            if line == "OK" { return answer }
            if line.hasPrefix("ACK") { throw LineSocketError.refused(line) }
            answer.append(line)
        }
    }

    private func timed(_ line: String) throws -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        try command(line)
        return now
    }

    var isPlaying: Bool { get throws { try command("status").contains("state: play") } }

    func play() async throws -> ContinuousClock.Instant { try timed("play 0") }
    func stop() async throws { try command("stop") }
    func pause() async throws -> ContinuousClock.Instant { try timed("pause 1") }
    func resume() async throws -> ContinuousClock.Instant { try timed("pause 0") }
    func seek(to seconds: Double) async throws -> ContinuousClock.Instant { try timed("seekcur \(seconds)") }
    func next() async throws -> ContinuousClock.Instant { try timed("next") }
}
