import TestSupport

extension Measurement {
    /// How long somebody waits who picks from many pictures.
    static let picker = Measurement(
        figures: ["picker_page_ms", "picker_100_ms", "picker_song_page_ms"],
        summary:
            "10,000 pictures: the slowest page of 20 of `picking items`, by filter; and 100 of them, one after another, from "
            + "`picking select` to their handles; 100,000 songs: the first page, and one of a search for two words"
    ) { bench, report in
        let folder = try TemporaryFolder()
        let root = try folder.makeFolder("pictures")
        let jpeg = MadeMedia.jpeg(width: 4000, height: 3000)
        for place in 0..<100 {
            _ = try folder.makeFolder("pictures/\(place)")
            for number in 0..<100 { try folder.write("pictures/\(place)/IMG_\(number).jpg", jpeg) }
        }
        let daemon = try await LineDaemon(.segued, music: root)
        try await daemon.update()
        let client = try LineClient(.unix(daemon.socket))
        let filters = [
            ("usual", "all(images,not(covers))"),
            ("any", "not(any(covers,screenshots,livePhotos,bursts,panoramas,motionPhotos))"), ("none", "panoramas"),
        ]
        var pages = Figure("picker_page_ms")
        var slowest = 0.0
        for (name, filter) in filters {
            let request = try client.values("picker open limit 0 filter \"\(filter)\"")["request"] ?? ""
            var worst = 0.0
            for start in stride(from: 0, to: 10_000, by: bench.isQuick ? 1_000 : 100) {
                let begin = ContinuousClock.now
                try client.order("picking items \(request) window \(start):\(start + 20)")
                worst = max(worst, ContinuousClock.now.seconds(since: begin) * 1_000)
            }
            pages.set(name, worst)
            slowest = max(slowest, worst)
            try client.order("picker withdraw \(request)")
        }
        pages.setLimit(200, for: slowest)
        report(pages)

        var choice = Figure("picker_100_ms")
        let times = try (0..<bench.repetitions).map { _ in
            let request = try client.values("picker open limit 100")["request"] ?? ""
            try client.order("picking take \(request)")
            let begin = ContinuousClock.now
            for number in 0..<100 { try client.order("picking select \(request) \(number)/IMG_\(number).jpg") }
            try client.order("picking finish \(request)")
            let handles = try client.order("picker items \(request)").count { $0.hasPrefix("handle: ") }
            let time = ContinuousClock.now.seconds(since: begin) * 1_000
            guard handles == 100 else { throw LineSocketError.closed }
            try client.order("picker withdraw \(request)")
            return time
        }
        choice.set("slowest", times.max())
        choice.setLimit(1_000, for: times.max())
        report(choice)
        report(try await songPages(bench))
    }

    /// As the list in a terminal and the page search.
    private static func songPages(_ bench: Bench) async throws -> Figure {
        let music = try await TaggedMusic(songs: bench.isQuick ? 10_000 : 100_000)
        let daemon = try await LineDaemon(.segued, music: music.path)
        try await daemon.update()
        let client = try LineClient(.unix(daemon.socket))
        func word(_ text: String) -> String {
            "(any contains_ci '\(text)')"
        }
        var figure = Figure("picker_song_page_ms")
        var slowest = 0.0
        let request = try client.values("picker open kind songs limit 0")["request"] ?? ""
        for (name, part) in [("all", ""), ("search", "\"(\(word("artist 7")) AND \(word("song")))\"")] {
            let times = try (0..<bench.repetitions).map { _ in
                let begin = ContinuousClock.now
                let songs = try client.order("picking items \(request) \(part) window 0:20").count {
                    $0.hasPrefix("file: ")
                }
                guard songs == 20 else { throw LineSocketError.closed }
                return ContinuousClock.now.seconds(since: begin) * 1_000
            }
            figure.set(name, times.max())
            slowest = max(slowest, times.max() ?? 0)
        }
        figure.setLimit(200, for: slowest)
        return figure
    }
}
