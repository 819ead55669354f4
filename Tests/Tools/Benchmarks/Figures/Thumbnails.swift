import TestSupport

extension Measurement {
    /// Small pictures of large ones, beside those that vipsthumbnail and ffmpegthumbnailer make.
    static let thumbnails = Measurement(
        figures: Thumbnails.cases.flatMap { ["thumbnail_\($0.name)_cpu_s", "thumbnail_\($0.name)_mb"] }
            + ["thumbnail_100_cpu_s"],
        summary: "320 pixels: CPU seconds and peak memory of one file each, all processes; the limit is the peer's"
    ) { bench, report in
        let thumbnails = try await Thumbnails()
        for example in Thumbnails.cases { try await thumbnails.measure(example, bench, report) }
        try await thumbnails.measureMany(report)
    }
}

private struct Thumbnails {
    struct Example {
        let name: String
        /// What ffmpeg makes it with, from the large picture or, for films, by itself.
        let options: [String]
        let fileExtension: String
        var isFilm = false
    }

    static let cases = [
        Example(name: "jpeg48", options: ["-vf", "scale=8064:6048,noise=alls=6", "-q:v", "4"], fileExtension: "jpg"),
        Example(name: "jpeg12", options: ["-vf", "scale=4032:3024,noise=alls=6", "-q:v", "4"], fileExtension: "jpg"),
        Example(name: "png24", options: ["-vf", "scale=6000:4000,noise=alls=3"], fileExtension: "png"),
        Example(
            name: "webp12",
            options: ["-vf", "scale=4032:3024,noise=alls=6", "-quality", "80"],
            fileExtension: "webp"
        ),
        Example(name: "heic12", options: ["-vf", "scale=4032:3024"], fileExtension: "heic"),
        Example(name: "avif2", options: ["-vf", "scale=1632:1224"], fileExtension: "avif"),
        Example(
            name: "h264",
            options: ["-vf", "scale=1920:1080", "-c:v", "libx264", "-preset", "veryfast"],
            fileExtension: "mp4",
            isFilm: true
        ),
        Example(
            name: "hevc4k",
            options: [
                "-vf", "scale=3840:2160", "-c:v", "libx265", "-preset", "ultrafast", "-x265-params", "log-level=none",
            ],
            fileExtension: "mkv",
            isFilm: true
        ),
    ]

    private let folder: TemporaryFolder
    private let segue = "\(Bench.folder)/segue"

    init() async throws {
        folder = try TemporaryFolder()
        try await run([
            "-f", "lavfi", "-i", "mandelbrot=size=2016x1512:start_scale=0.3", "-frames:v", "1",
            folder.file("large.png"),
        ])
    }

    private func run(_ words: [String]) async throws {
        let result = try await ChildProcess("ffmpeg", ["-v", "error", "-y"] + words).wait(within: .seconds(300))
        guard result.status == .code(0) else { throw ClientError(description: result.errorText) }
    }

    private func make(_ example: Example) async throws -> String {
        let path = folder.file("\(example.name).\(example.fileExtension)")
        if example.isFilm {
            let source = "testsrc2=size=1280x720:rate=25,noise=alls=8"
            try await run(["-f", "lavfi", "-i", source, "-t", "6", "-g", "50"] + example.options + [path])
        } else if ["heic", "avif"].contains(example.fileExtension) {
            let source = folder.file("\(example.name).png")
            try await run(["-i", folder.file("large.png")] + example.options + [source])
            let format = example.fileExtension == "avif" ? ["-A"] : []
            _ = try await ChildProcess("heif-enc", format + ["-q", "50", source, "-o", path]).wait(
                within: .seconds(300)
            )
        } else {
            try await run(["-i", folder.file("large.png")] + example.options + [path])
        }
        return path
    }

    func measure(_ example: Example, _ bench: Bench, _ report: (Figure) -> Void) async throws {
        let path = try await make(example)
        let (result, other) = (folder.file("segue.jpg"), folder.file("other.jpg"))
        let peer = example.isFilm ? "ffmpegthumbnailer" : "vipsthumbnail"
        let words = example.isFilm ? ["-i", path, "-o", other, "-s", "320"] : [path, "--size", "320", "-o", other]
        var (ours, theirs): ([ChildProcess.Result], [ChildProcess.Result]) = ([], [])
        for _ in 0..<max(3, bench.repetitions / 3) {
            ours.append(try await ChildProcess(segue, ["thumbnail", "--force", path, "-o", result]).wait())
            guard ours.last?.status == .code(0) else { throw ClientError(description: ours.last?.errorText ?? "") }
            if ChildProcess.find(peer) != nil { theirs.append(try await ChildProcess(peer, words).wait()) }
        }
        for (suffix, value) in [
            ("cpu_s", { @Sendable (result: ChildProcess.Result) in result.cpuSeconds }),
            ("mb", { @Sendable (result: ChildProcess.Result) in Double(result.peakKilobytes) / 1024 }),
        ] {
            var figure = Figure("thumbnail_\(example.name)_\(suffix)")
            let (own, peers) = (ours.map(value).median, theirs.map(value).median)
            figure.set("segue", own)
            figure.set(peer, peers)
            figure.setLimit(peers, for: own)
            report(figure)
        }
    }

    /// A hundred photos by one command.
    func measureMany(_ report: (Figure) -> Void) async throws {
        let photo = try await make(Self.cases[1])
        let photos = try folder.makeFolder("photos")
        let paths = (0..<100).map { "\(photos)/\($0).jpg" }
        for path in paths { try ChildProcess.run("ln", [photo, path]) }
        let ours = try await ChildProcess(segue, ["thumbnail", photos, "-o", folder.file("ours/")]).wait()
        guard ours.status == .code(0) else { throw ClientError(description: ours.errorText) }
        var figure = Figure("thumbnail_100_cpu_s")
        figure.set("segue", ours.cpuSeconds)
        var limit: Double?
        if ChildProcess.find("vipsthumbnail") != nil {
            let others = try folder.makeFolder("others")
            let words = paths + ["--size", "320", "-o", others + "/%s.jpg"]
            limit = try await ChildProcess("vipsthumbnail", words).wait().cpuSeconds
        }
        figure.set("vipsthumbnail", limit)
        figure.setLimit(limit, for: ours.cpuSeconds)
        report(figure)
    }
}
