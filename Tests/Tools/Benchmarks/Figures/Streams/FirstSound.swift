import TestSupport

extension Measurement {
    /// From an order to a running player to the first sample that is heard of something on the network.
    static let firstSound = Measurement(
        figures: ["http_ttfs_ms"],
        summary: "from the order to a running player to the first sound, over loopback: files, HLS, DASH, Icecast"
    ) { bench, report in
        let web = try await WebServer.start()
        let radio = try await FirstSoundMedium.radio()
        for medium in try await FirstSoundMedium.all(on: web) + (radio.map { [$0.medium] } ?? []) {
            var results: [Contestant: [Double]] = [:]
            var requests: Double?
            for contestant in [Contestant.segue, .segued, .mpd, .mpv] where contestant.isInstalled {
                let before = web.requests.count
                results[contestant] = try await medium.starts(of: contestant, repetitions: bench.repetitions)
                if contestant == .segue, radio?.medium.name != medium.name {
                    requests = Double(web.requests.count - before) / Double(bench.repetitions)
                }
            }
            var figure = Figure("http_ttfs_ms")
            figure.set("medium", medium.name)
            for contestant in [Contestant.segue, .segued, .mpd, .mpv] {
                figure.set(contestant.rawValue, results[contestant]?.median)
            }
            figure.set("segue_worst", results[.segue]?.max())
            figure.set("segue_requests", requests)
            // A station's server takes its time before it sends anything to a new listener.
            if let radio, radio.medium.name == medium.name {
                var answers: [Double] = []
                for _ in 0..<bench.repetitions { answers.append(try radio.source.milliseconds(toBytes: 8192)) }
                figure.set("server_alone", answers.median)
            }
            figure.setLimit(medium.limit, for: results[.segue]?.median)
            report(figure)
        }
    }
}

/// Something on the network that is played again and again.
struct FirstSoundMedium: Sendable {
    var name: String
    var url: String
    /// In milliseconds.
    var limit: Double

    /// Files and segments.
    static func all(on web: WebServer) async throws -> [FirstSoundMedium] {
        var media: [FirstSoundMedium] = []
        for (codec, limit) in [(MediaFixtures.Codec.mp3, 10.0), (.flac, 15), (.opus, 15)] {
            let file = try await MediaFixtures.position(codec, seconds: 60)
            let url = try web.publish(file, as: "a.\(codec.fileExtension)")
            media.append(FirstSoundMedium(name: codec.rawValue, url: url, limit: limit))
        }
        for (form, limit) in [(NetworkMaterial.Segments.ts, 35.0), (.fmp4, 40), (.dash, 35)] {
            let folder = try await NetworkMaterial.segments(form, seconds: 60)
            let url = try web.publish(folder: folder, as: form.rawValue) + "/\(form.index)"
            media.append(FirstSoundMedium(name: "\(form.rawValue)", url: url, limit: limit))
        }
        return media
    }

    /// A station with its server, if that is installed.
    static func radio() async throws -> (medium: FirstSoundMedium, source: IcecastSource)? {
        guard IcecastServer.missing.isEmpty else { return nil }
        let source = try await IcecastSource(NetworkMaterial.radio(.mp3, kilobits: 192), to: IcecastServer.start())
        return (FirstSoundMedium(name: "icecast", url: source.url, limit: 100), source)
    }

    /// In milliseconds; `nil` of what cannot play it.
    func starts(of contestant: Contestant, repetitions: Int) async throws -> [Double]? {
        let server = try await PulseServer.start()
        guard let player = try await ControlledPlayers.start(contestant, [url], on: server) else { return nil }
        defer { player.process.end() }
        let ear = try await Ear(at: server)
        var times: [Double] = []
        // The first one is a rehearsal.
        for index in 0...repetitions {
            try await Moments.sleep(.random(in: 0.3...0.35))
            let from = ear.capture.frames
            let start = try await player.play()
            guard let frame = try? await ear.capture.waitForSound(after: from, within: .seconds(8)) else { return nil }
            try await Moments.sleep(0.1)
            if index > 0 { times.append(ear.milliseconds(from: start, to: frame)) }
            try await player.stop()
            try await ear.capture.waitForSilence(after: ear.capture.frames)
        }
        return times
    }
}
