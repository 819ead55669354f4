import TestSupport

/// mpv, idle, and told what to do through its socket.
final class MPV: ControlledPlayer {
    static let options = ["--no-config", "--no-video", "--ao=pulse", "--really-quiet", "--no-terminal"]

    let process: ChildProcess
    private let folder: TemporaryFolder
    private let socket: LineSocket
    private let files: [String]

    init(_ files: [String], on server: some SoundServer) async throws {
        self.files = files
        folder = try TemporaryFolder()
        let address = folder.file("mpv.sock")
        process = try ChildProcess(
            "mpv",
            Self.options + ["--idle=yes", "--input-ipc-server=\(address)"],
            environment: server.clientEnvironment
        )
        socket = try await LineSocket.connect(to: address, of: process)
    }

    private func command(_ words: String...) throws -> ContinuousClock.Instant {
        let now = ContinuousClock.now
        try socket.write("{\"command\":[\(words.joined(separator: ","))]}")
        try socket.discardInput()
        return now
    }

    func play() async throws -> ContinuousClock.Instant {
        let start = try command("\"loadfile\"", "\"\(files[0])\"")
        for file in files.dropFirst() { _ = try command("\"loadfile\"", "\"\(file)\"", "\"append\"") }
        return start
    }

    func stop() async throws { _ = try command("\"stop\"") }
    func pause() async throws -> ContinuousClock.Instant { try command("\"set_property\"", "\"pause\"", "true") }
    func resume() async throws -> ContinuousClock.Instant { try command("\"set_property\"", "\"pause\"", "false") }
    func next() async throws -> ContinuousClock.Instant { try command("\"playlist-next\"") }

    func seek(to seconds: Double) async throws -> ContinuousClock.Instant {
        try command("\"seek\"", "\(seconds)", "\"absolute+exact\"")
    }
}
