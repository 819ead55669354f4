private import Foundation
private import Synchronization

/// A live HLS stream: ready-made segments that come into a window one after the other, in real time or by hand.
///
/// What is on air goes on whatever happens to the playlist, so what is heard tells how far behind the live
/// edge a listener is.
package final class HLSLive: Sendable {
    private struct State: Sendable {
        var next = 0
        var window: [Entry] = []
        /// Discontinuities that have left the window.
        var discontinuities = 0
        var encoding = 0
        var isNextMissing = false
        var isNextChanged = false
        var hasEnded = false
        var isRunning = false
        /// Whether no segment leaves the list.
        var isEvent = false
    }

    private struct Entry: Sendable {
        var number: Int
        var duration: Double
        var isDiscontinuous: Bool

        var name: String { "\(number).ts" }
    }

    private let web: WebServer
    private let name: String
    private let size: Int
    private let encodings: [[(path: String, duration: Double)]]
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folders: Of one encoding or several of the same length, as `NetworkMaterial.segments` makes them (TS).
    ///   - name: The folder that it is served from.
    ///   - window: How many segments the playlist lists, at first if it is an event's.
    ///   - isEvent: Whether it keeps all segments.
    package init(
        _ folders: [String],
        on web: WebServer,
        name: String = "live",
        window: Int = 4,
        isEvent: Bool = false
    ) throws {
        (self.web, self.name, size) = (web, name, window)
        encodings = try folders.map { folder in
            let lines = try String(contentsOfFile: "\(folder)/index.m3u8", encoding: .utf8).split(separator: "\n")
            let durations = lines.filter { $0.hasPrefix("#EXTINF:") }.compactMap { line in
                Double(line.dropFirst(8).prefix { $0 != "," })
            }
            return durations.enumerated().map { ("\(folder)/\($0.offset).ts", $0.element) }
        }
        state.withLock { $0.isEvent = isEvent }
        for _ in 0..<window { try publishNext() }
    }

    deinit { stop() }

    package var path: String { "\(name)/index.m3u8" }
    package var url: String { web.url(path) }
    /// How many segments were on air; the last of them is the live edge.
    package var count: Int { state.withLock { $0.next } }

    // MARK: On air

    /// Goes on by a segment.
    package func publishNext() throws {
        try state.withLock { state in
            let segments = encodings[state.encoding]
            let number = state.next
            let segment = segments[number % segments.count]
            let isDiscontinuous = state.isNextChanged || number > 0 && number % segments.count == 0
            let entry = Entry(number: number, duration: segment.duration, isDiscontinuous: isDiscontinuous)
            if !state.isNextMissing { try web.publish(segment.path, as: "\(name)/\(entry.name)") }
            (state.isNextMissing, state.isNextChanged) = (false, false)
            state.next += 1
            state.window.append(entry)
            if state.window.count > size, !state.isEvent {
                let oldest = state.window.removeFirst()
                if oldest.isDiscontinuous { state.discontinuities += 1 }
            }
            // What has left the list may still be read for a while.
            if !state.isEvent { web.remove("\(name)/\(number - 2 * size).ts") }
            try web.publish(text: Self.playlist(state), as: path)
        }
    }

    private static func playlist(_ state: State) -> String {
        var lines = ["#EXTM3U", "#EXT-X-VERSION:3"]
        if state.isEvent { lines.append("#EXT-X-PLAYLIST-TYPE:EVENT") }
        let longest = state.window.map(\.duration).max() ?? 1
        lines.append("#EXT-X-TARGETDURATION:\(Int(longest.rounded(.up)))")
        lines.append("#EXT-X-MEDIA-SEQUENCE:\(state.window.first?.number ?? 0)")
        lines.append("#EXT-X-DISCONTINUITY-SEQUENCE:\(state.discontinuities)")
        for entry in state.window {
            if entry.isDiscontinuous { lines.append("#EXT-X-DISCONTINUITY") }
            lines += ["#EXTINF:\(entry.duration),", entry.name]
        }
        if state.hasEnded { lines.append("#EXT-X-ENDLIST") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Goes on in real time until `stop`; beyond the last segment it begins again, with a discontinuity.
    package func run() {
        state.withLock { $0.isRunning = true }
        let thread = Thread { [weak self] in
            var due = ContinuousClock.now
            while let duration = self?.durationOfNext() {
                due += .seconds(duration)
                let wait = due - .now
                if wait > .zero { Thread.sleep(forTimeInterval: wait.seconds) }
                guard self?.state.withLock({ $0.isRunning }) == true else { return }
                try? self?.publishNext()
            }
        }
        thread.name = "hls-live"
        thread.start()
    }

    package func stop() { state.withLock { $0.isRunning = false } }

    private func durationOfNext() -> Double? {
        state.withLock { state in
            let segments = encodings[state.encoding]
            return state.isRunning ? segments[state.next % segments.count].duration : nil
        }
    }

    // MARK: Faults

    /// The next segment is listed but not there.
    package func loseNext() { state.withLock { $0.isNextMissing = true } }

    /// From the next segment on it is the next encoding, with timestamps of its own.
    package func change() {
        state.withLock { state in
            state.encoding = (state.encoding + 1) % encodings.count
            state.isNextChanged = true
        }
    }

    /// The playlist says that nothing more comes.
    package func end() throws {
        let text = state.withLock { state in
            (state.isRunning, state.hasEnded) = (false, true)
            return Self.playlist(state)
        }
        try web.publish(text: text, as: path)
    }
}
