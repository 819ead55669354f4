import AudioTypes
import TestSupport

extension Measurement {
    /// What is added or lost where one track of an album follows another.
    static let joints = Measurement(
        figures: ["joint_samples"],
        summary: "samples added or lost at the 7 joints of an album cut at odd places"
    ) { bench, report in
        let albums: [(name: String, codec: MediaFixtures.Codec, rates: [Int])] = [
            ("flac", .flac, [44_100]), ("mp3", .mp3, [44_100]), ("mp3_vbr", .mp3VBR, [44_100]),
            ("m4a", .m4a, [44_100]), ("m4a_itunes", .m4aITunes, [44_100]), ("opus", .opus, [44_100]),
            ("vorbis", .vorbis, [44_100]), ("flac_mixed_rates", .flac, [44_100, 48_000]),
            ("m4a_mixed_rates", .m4a, [44_100, 48_000]),
        ]
        let contestants = [Contestant.segue, .mpd, .mpv].filter(\.isInstalled)
        for (name, codec, rates) in albums {
            let album = try await MediaFixtures.album(codec, rates: rates)
            let results = try await concurrently(contestants) { try await AlbumRun.changes(album, $0) }
            let changes = Dictionary(uniqueKeysWithValues: zip(contestants, results))
            var figure = Figure("joint_samples")
            figure.set("album", name)
            for contestant in [Contestant.segue, .mpd, .mpv] {
                figure.set(contestant.rawValue, changes[contestant].flatMap(AlbumRun.total))
            }
            figure.set("segue_joints", changes[.segue])
            figure.setLimit(0, for: changes[.segue].flatMap(AlbumRun.total).map { Double($0) })
            report(figure)
        }
    }
}

private enum AlbumRun {
    /// All that was added or lost; `nil` when what was heard was not the album.
    static func total(_ changes: [Int?]) -> Int? {
        changes.contains { $0 == nil } ? nil : changes.reduce(0) { $0 + abs($1 ?? 0) }
    }

    /// Plays an album through a server of its own.
    ///
    /// A recording may lose something itself on a busy machine; that never hides a change, so the better of two counts.
    static func changes(_ album: MediaFixtures.Album, _ contestant: Contestant) async throws -> [Int?] {
        var best: [Int?] = []
        for attempt in 0..<2 {
            let changes = try await once(album, contestant)
            if attempt == 0 || (total(changes) ?? .max) < (total(best) ?? .max) { best = changes }
            if total(best) == 0 { break }
        }
        return best
    }

    private static func once(_ album: MediaFixtures.Album, _ contestant: Contestant) async throws -> [Int?] {
        let server = try await PulseServer.start()
        let capture = try await MonitorCapture(of: server)
        let rate = capture.current.format.sampleRate
        if contestant == .mpd {
            let mpd = try await MPD(album.tracks, on: server)
            _ = try await mpd.play()
            try await capture.waitForSound()
            while try mpd.isPlaying { try await Moments.sleep(0.2) }
            mpd.process.end()
        } else {
            let process = try contestant.start(album.tracks, on: server)
            _ = try await process?.wait()
        }
        try await capture.waitForSilence()
        let heard = capture.stop().samples()
        return Analysis.changes(at: album.joints(at: rate), of: album.reference(at: rate), in: heard)
    }
}
