import TestSupport

extension Measurement {
    /// What a dead file system under the music costs clients that need nothing of it.
    static let stalledMusic = Measurement(
        figures: ["stalled_music_ping_ms"],
        summary: "the slowest ping of a client while commands of others wait for music that does not answer"
    ) { bench, report in
        var figure = Figure("stalled_music_ping_ms")
        if let reason = StallingFileSystem.missing {
            figure.set("segued", nil as Double?)
            figure.set("missing", reason)
            return report(figure)
        }
        let folder = try TemporaryFolder()
        try await fill(folder)
        var times: [Double] = []
        for _ in 0..<(bench.isQuick ? 1 : 5) { times += try await pings(over: folder, bench) }
        figure.set("segued", times.max())
        figure.set("segued_median", times.median)
        figure.set("pings", times.count)
        figure.setLimit(50, for: times.max())
        report(figure)
    }

    /// What needs the music directory: songs, sheets, pictures, lists, the queue, announcements and updates.
    private static let waitingCommands = [
        "add album/new.flac", "add album", "addid \"album/disc.cue/track0002\"", "albumart album/1.flac 0",
        "readpicture album/2.flac 0", "readcomments album/1.flac", "identify album/2.flac", "lsinfo album",
        "lsinfo new",
        "listfiles", "listfiles album", "listall new", "load album/disc.cue", "listplaylist album/list.m3u",
        "announce album/1.flac volume 1", "playlistadd mine album/new.flac", "play", "next", "update", "rescan",
    ]

    private static func fill(_ folder: TemporaryFolder) async throws {
        _ = try folder.makeFolder("album")
        let song = folder.file("album/1.flac")
        try await MediaFixtures.ffmpeg(["-f", "lavfi", "-i", "sine=duration=10", song])
        try folder.write("album/2.flac", FileBytes.read(song))
        try folder.write("album/cover.jpg", FileBytes.read(song))
        try folder.write("album/list.m3u", "1.flac\n2.flac\n")
        try folder.write(
            "album/disc.cue",
            """
            FILE "1.flac" WAVE
              TRACK 01 AUDIO
                INDEX 01 00:00:00
              TRACK 02 AUDIO
                INDEX 01 00:05:00

            """
        )
    }

    /// - Returns: How long each ping took, in milliseconds.
    private static func pings(over folder: TemporaryFolder, _ bench: Bench) async throws -> [Double] {
        let system = try StallingFileSystem(of: folder.path)
        let daemon = try await LineDaemon(.segued, music: system.path)
        try await daemon.update()
        try await daemon.settle()
        let observer = try daemon.client()
        for line in ["add album/1.flac", "add album/2.flac"] { try observer.command(line) }
        try system.stall()
        defer { system.resume() }
        var times: [Double] = []
        func ping(_ count: Int) throws {
            for _ in 0..<count {
                let start = ContinuousClock.now
                try observer.command("ping")
                times.append(ContinuousClock.now.seconds(since: start) * 1000)
            }
        }
        var waiting: [RawClient] = []
        for line in waitingCommands {
            for _ in 0..<10 {
                let client = try daemon.client()
                try client.send(Array((line + "\n").utf8))
                waiting.append(client)
            }
            try ping(10)
        }
        let start = ContinuousClock.now
        while ContinuousClock.now.seconds(since: start) < (bench.isQuick ? 1 : 5) {
            try ping(1)
            try await Moments.sleep(0.005)
        }
        return withExtendedLifetime(waiting) { times }
    }
}
