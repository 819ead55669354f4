import TestSupport

extension Measurement {
    /// How long the pictures of a screen take from which the owner picks.
    static let pickerScreen = Measurement(
        figures: ["picker_screen_cold_ms", "picker_screen_ms", "picker_screen_page_ms", "picker_screen_mb"],
        summary:
            "`segue pick` on a terminal of 80 x 24 with kitty's graphics, photos of 12 megapixels: from its start until 12 "
            + "thumbnails are there, never made before and made before; the slowest screen of 12 when one is paged through after "
            + "the other; and its memory at the end"
    ) { bench, report in
        let folder = try TemporaryFolder()
        let root = try folder.makeFolder("photos")
        let screens = bench.isQuick ? 5 : 20
        try await makePhotos(screens * Self.tiles, in: root)
        let daemon = try await LineDaemon(.segued, music: root)
        try await daemon.update()

        let cold = try await Run(daemon.socket)
        var first = Figure("picker_screen_cold_ms")
        first.set("ms", cold.start)
        first.setLimit(600, for: cold.start)
        report(first)
        for _ in 1..<screens { _ = try await cold.pageDown() }
        try await cold.end()

        var starts: [Double] = []
        var slowest = 0.0
        var megabytes = 0.0
        for repetition in 0..<bench.repetitions {
            let run = try await Run(daemon.socket)
            starts.append(run.start)
            if repetition == 0 {
                for _ in 1..<screens { slowest = max(slowest, try await run.pageDown()) }
                megabytes = Double(try run.terminal.process.residentBytes()) / 1e6
            }
            try await run.end()
        }
        var warm = Figure("picker_screen_ms")
        warm.set("slowest", starts.max())
        warm.setLimit(150, for: starts.max())
        report(warm)
        var page = Figure("picker_screen_page_ms")
        page.set("slowest", slowest)
        page.setLimit(200, for: slowest)
        report(page)
        var memory = Figure("picker_screen_mb")
        memory.set("resident", megabytes)
        report(memory)
    }

    private static let tiles = 12

    /// Photos that differ, as large as those of phones.
    private static func makePhotos(_ count: Int, in folder: String) async throws {
        let result = try await ChildProcess(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "mandelbrot=size=1008x756:start_scale=0.3", "-frames:v", "\(count)",
                "-vf",
                "scale=4032:3024,noise=alls=6", "-q:v", "4", "\(folder)/%04d.jpg",
            ]
        ).wait(within: .seconds(600))
        guard result.status == .code(0) else { throw ClientError(description: result.errorText) }
    }

    private final class Run {
        let terminal: TerminalProcess
        /// From the program's start until the first screen is there.
        private(set) var start = 0.0
        private var count = Measurement.tiles

        init(_ socket: String) async throws {
            let begin = ContinuousClock.now
            terminal = try TerminalProcess(
                "\(Bench.folder)/segue",
                ["pick", "--limit", "5"],
                environment: ["SEGUE_HOST": socket, "LANG": "C.UTF-8", "PATH": "/usr/bin:/bin"],
                answer: "\u{1b}_Gi=31;OK\u{1b}\\\u{1b}[6;16;8t\u{1b}[?62;4c"
            )
            try await wait()
            start = ContinuousClock.now.seconds(since: begin) * 1_000
        }

        private func wait() async throws {
            let count = count
            try await terminal.wait { $0.pictures.count >= count }
        }

        /// - Returns: How long it took until the next screen was there, in milliseconds.
        func pageDown() async throws -> Double {
            let begin = ContinuousClock.now
            count += Measurement.tiles
            terminal.type("\u{1b}[6~")
            try await wait()
            return ContinuousClock.now.seconds(since: begin) * 1_000
        }

        func end() async throws {
            terminal.type("q")
            _ = try await terminal.process.wait()
        }
    }
}
