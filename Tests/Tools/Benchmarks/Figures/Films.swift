import TestSupport

extension Measurement {
    /// A film in a terminal's characters, beside mpv's.
    static let films = Measurement(
        figures: ["film_cpu_s", "film_frames_missing", "film_late_ms"],
        summary: "20 s of 720p25 in 120 x 40 cells: CPU seconds, frames left out, the longest that one was late"
    ) { bench, report in
        let films = try await Films()
        let (ours, shown, late) = try await films.measureSegue()
        let theirs = try await films.measureMPV()
        var cpu = Figure("film_cpu_s")
        cpu.set("segue", ours)
        cpu.set("mpv", theirs)
        cpu.setLimit(theirs, for: ours)
        report(cpu)
        var missing = Figure("film_frames_missing")
        missing.set("segue", Double(Films.frames - shown))
        report(missing)
        var lateness = Figure("film_late_ms")
        lateness.set("segue", late)
        lateness.setLimit(40, for: late)
        report(lateness)
    }
}

private struct Films {
    static let seconds = 20
    static let frames = seconds * 25

    private let folder: TemporaryFolder
    private var film: String { folder.file("film.mp4") }

    init() async throws {
        folder = try TemporaryFolder()
        let source = "testsrc2=size=1280x720:rate=25:duration=\(Self.seconds)"
        try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", source, "-f", "lavfi", "-i", "sine=duration=\(Self.seconds)",
                "-c:v", "libx264", "-g", "100", "-pix_fmt", "yuv420p", "-c:a", "aac", film,
            ]
        )
    }

    private func terminal(_ program: String, _ words: [String], rows: Int) throws -> TerminalProcess {
        try TerminalProcess(
            program,
            words,
            environment: [
                "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "HOME": "/proc/nonexistent", "COLORTERM": "truecolor",
            ],
            columns: 120,
            rows: rows,
            answer: "\u{1b}[6;16;8t\u{1b}[?62c"
        )
    }

    /// - Returns: CPU seconds of all processes, frames shown, and the longest that one was late, in milliseconds.
    func measureSegue() async throws -> (cpu: Double, shown: Int, late: Double) {
        let segue = try terminal("\(Bench.folder)/segue", ["play", "--video", "--output", "null", film], rows: 44)
        try await segue.waitForText("0:\(Self.seconds - 1) ")
        segue.type("o")
        try await segue.waitForText(" ms at most")
        let words = segue.contents.lines.first { $0.hasSuffix(" ms at most") }?.split(separator: " ") ?? []
        let late = words.dropLast(3).last.flatMap { Double($0) } ?? .infinity
        let result = try await segue.process.wait()
        return (result.cpuSeconds, segue.contents.frameCount, late)
    }

    func measureMPV() async throws -> Double? {
        guard ChildProcess.find("mpv") != nil else { return nil }
        let words = [
            "--no-config", "--really-quiet", "--vo=tct", "--vo-tct-width=120", "--vo-tct-height=40", "--ao=null",
        ]
        return try await terminal("mpv", words + [film], rows: 44).process.wait(within: .seconds(60)).cpuSeconds
    }
}
