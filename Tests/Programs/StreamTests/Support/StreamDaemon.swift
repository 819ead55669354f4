import TestSupport

/// A segued of a test's own that plays to a seat's sink.
final class StreamDaemon: Sendable {
    let process: ChildProcess
    let folder: TemporaryFolder
    private let seat: Seat

    private var socket: String { folder.file("socket") }

    /// - Parameter configuration: Lines of the default zone and the server, before the output.
    init(on seat: Seat, _ configuration: String = "") async throws {
        self.seat = seat
        folder = try TemporaryFolder()
        _ = try folder.makeFolder("music")
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            \(configuration)
            [[output]]
            name = "seat"
            type = "pulse"
            server = "\(seat.server.address)"
            device = "\(seat.sink.name)"

            """
        let words = [
            "--config", try folder.write("segued.toml", text), "--music-dir", folder.file("music"),
            "--state-dir", folder.file("state"), "--web-listen", "none",
        ]
        let environment = Programs.environment(seat.server.clientEnvironment.merging(["TZ": "UTC"]) { $1 })
        process = try ChildProcess(Programs.path("segued"), words, environment: environment)
        try await waitForSocket(socket, of: process)
    }

    deinit { process.end() }

    func connect() throws -> LineClient { try LineClient(.unix(socket), of: self) }

    /// Runs `segue` with this daemon as its server.
    func segue(_ words: String...) async throws -> ChildProcess.Result {
        let environment = Programs.environment(["SEGUE_HOST": socket])
        return try await ChildProcess(Programs.path("segue"), words, environment: environment).wait()
    }
}
