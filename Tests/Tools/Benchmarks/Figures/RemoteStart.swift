import TestSupport

extension Measurement {
    /// From starting a remote control to its end, with an answer from a server.
    static let remoteStart = Measurement(
        figures: ["remote_status_ms"],
        summary: "segue status from exec to exit, asking a real mpd; the limit is 5 ms"
    ) { bench, report in
        var figure = Figure("remote_status_ms")
        guard ChildProcess.find("mpd") != nil else {
            figure.set("error", "mpd is not installed")
            return report(figure)
        }
        let folder = try TemporaryFolder()
        let address = folder.file("socket")
        let configuration = try folder.write(
            "mpd.conf",
            """
            bind_to_address "\(address)"
            log_file "\(folder.file("log"))"
            audio_output {
                type "null"
                name "null"
            }

            """
        )
        let server = try ChildProcess("mpd", ["--no-daemon", configuration])
        defer { server.end() }
        try await waitForSocket(address, of: server)

        func milliseconds(_ command: String, _ words: [String]) async throws -> Double? {
            guard ChildProcess.find(command) != nil || command.contains("/") else { return nil }
            var samples: [Double] = []
            for _ in 0..<(bench.repetitions * 4) {
                let start = ContinuousClock.now
                let environment = ["MPD_HOST": address, "PATH": "/usr/bin:/bin"]
                let process = try ChildProcess(command, words, environment: environment, outlivesNothing: false)
                let result = try await process.wait()
                guard result.status == .code(0) else {
                    throw ChildProcessError.failed(command, result.status, errors: result.errorText)
                }
                samples.append(ContinuousClock.now.seconds(since: start) * 1000)
            }
            return samples.median
        }
        let segue = try await milliseconds("\(Bench.folder)/segue", ["status"])
        figure.set("segue", segue)
        figure.set("mpc", try await milliseconds("mpc", ["status"]))
        // What starting any process costs here.
        figure.set("true", try await milliseconds("true", []))
        figure.setLimit(5, for: segue)
        report(figure)
    }
}
