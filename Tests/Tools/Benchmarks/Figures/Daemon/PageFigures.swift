import Foundation
import TestSupport

extension Measurement {
    /// The page in Chromium, on a phone of some years ago and with a large library.
    static let page = Measurement(
        figures: limits.map(\.name),
        summary: "the page in Chromium: what a first visit weighs, when it is seen, changes, a search in 100,000 songs"
    ) { bench, report in
        var figures = limits.map { Figure($0.name) }
        let script = URL(filePath: "Tests/Tools/PageScripts/page.mjs").path
        if ChildProcess.missing("chromium", "node").isEmpty, FileManager.default.fileExists(atPath: script) {
            let music = try await TaggedMusic(songs: bench.isQuick ? 10_000 : 100_000)
            let daemon = try await LineDaemon(.segued, music: music.path)
            try await daemon.update()
            try daemon.client().command("add \"Artist 0\"")
            let folder = try TemporaryFolder()
            let words = [script, "figures", "http://127.0.0.1:\(daemon.webPort)/", folder.path]
            let result = try await ChildProcess("node", words).wait()
            guard let values = try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Double] else {
                throw LineSocketError.refused(result.errorText)
            }
            for index in figures.indices {
                let value = values[limits[index].key]
                figures[index].set("segued", value)
                figures[index].setLimit(limits[index].limit, for: value)
            }
        }
        for figure in figures { report(figure) }
    }

    /// The names of the figures, and of the values that the script prints.
    private static let limits: [(name: String, key: String, limit: Double)] = [
        ("page_requests", "requests", 8), ("page_kb", "kilobytes", 60), ("page_paint_ms", "paint", 300),
        ("page_live_ms", "live", 500), ("page_again_ms", "again", 200), ("page_change_p99_ms", "change", 50),
        ("page_search_ms", "search", 100), ("page_heap_mb", "heap", 5), ("page_nodes", "nodes", 1_500),
    ]
}
