private import Foundation
private import Synchronization

/// A live presentation of DASH: ready-made segments that are there one after the other, in real time or by hand.
package final class DASHLive: Sendable {
    package enum Form: Sendable, CaseIterable {
        /// The manifest lists what is there, and grows.
        case timeline
        /// The manifest says how long a segment is and when the first one began, and stays as it is.
        case clock
    }

    private struct State: Sendable {
        var next = 0
        var hasEnded = false
        var isRunning = false
    }

    private let web: WebServer
    private let form: Form
    private let name: String
    private let folder: String
    private let window: Int
    /// Where each segment begins, and where the last one ends, in ticks of 1/48000 s.
    private let times: [Int]
    /// When the presentation began.
    private let start: Double
    private let state = Mutex(State())

    /// - Parameters:
    ///   - folder: As `NetworkMaterial.dash(.timeline)` makes it; nothing follows its last segment.
    ///   - name: The folder that it is served from.
    ///   - window: How many segments are there at first, and stay.
    package init(_ folder: String, on web: WebServer, _ form: Form, name: String = "live", window: Int = 5) throws {
        (self.web, self.form, self.name, self.folder, self.window) = (web, form, name, folder, window)
        let text = try String(contentsOfFile: "\(folder)/index.mpd", encoding: .utf8)
        var times = [0]
        for tag in text.split(separator: "<S ").dropFirst() {
            func value(_ name: String) -> Int? {
                tag.range(of: "\(name)=\"").flatMap { Int(tag[$0.upperBound...].prefix { $0 != "\"" }) }
            }
            for _ in 0...(value("r") ?? 0) { times.append((times.last ?? 0) + (value("d") ?? 0)) }
        }
        self.times = times
        start = Date().timeIntervalSince1970 - Double(times[window]) / 48_000
        try web.publish("\(folder)/init-0.mp4", as: "\(name)/init-0.mp4")
        for _ in 0..<window { try publishNext() }
    }

    deinit { stop() }

    package var path: String { "\(name)/index.mpd" }
    package var url: String { web.url(path) }
    /// How many segments were there.
    package var count: Int { state.withLock { $0.next } }

    /// Goes on by a segment.
    package func publishNext() throws {
        try state.withLock { state in
            let number = state.next + 1
            try web.publish("\(folder)/0-\(number).m4s", as: "\(name)/0-\(number).m4s")
            web.remove("\(name)/0-\(number - 2 * window).m4s")
            state.next += 1
            try web.publish(text: manifest(state), as: path)
        }
    }

    private func manifest(_ state: State) -> String {
        let first = max(0, state.next - window)
        let entries = (first..<state.next).map { "<S t=\"\(times[$0])\" d=\"\(times[$0 + 1] - times[$0])\"/>" }
        let timing: (attributes: String, content: String) =
            switch form {
            case .timeline: ("startNumber=\"\(first + 1)\"", "<SegmentTimeline>\(entries.joined())</SegmentTimeline>")
            case .clock: ("duration=\"96000\"", "")
            }
        let length = Double(times[state.next]) / 48_000
        let began = Date(timeIntervalSince1970: start).formatted(
            Date.ISO8601FormatStyle(includingFractionalSeconds: true)
        )
        let type = state.hasEnded ? "type=\"static\" mediaPresentationDuration=\"PT\(length)S\"" : "type=\"dynamic\""
        let update = form == .timeline ? "minimumUpdatePeriod=\"PT1S\"" : ""
        return """
            <?xml version="1.0" encoding="utf-8"?>
            <MPD xmlns="urn:mpeg:dash:schema:mpd:2011" \(type) \(update) availabilityStartTime="\(began)"
              timeShiftBufferDepth="PT\(2 * window)S" profiles="urn:mpeg:dash:profile:isoff-live:2011">
            <Period id="0" start="PT0S"><AdaptationSet contentType="audio" mimeType="audio/mp4" codecs="mp4a.40.2">
            <SegmentTemplate timescale="48000" initialization="init-0.mp4" media="0-$Number$.m4s" \(timing.attributes)>
            \(timing.content)</SegmentTemplate><Representation id="0" bandwidth="128000"/>
            </AdaptationSet></Period></MPD>

            """
    }

    /// Goes on in real time until `stop`.
    package func run() {
        state.withLock { $0.isRunning = true }
        let thread = Thread { [weak self] in
            while let due = self?.nextDue() {
                let wait = due - Date().timeIntervalSince1970
                if wait > 0 { Thread.sleep(forTimeInterval: wait) }
                guard self?.state.withLock({ $0.isRunning }) == true else { return }
                try? self?.publishNext()
            }
        }
        thread.name = "dash-live"
        thread.start()
    }

    package func stop() { state.withLock { $0.isRunning = false } }

    /// When the next segment has come to its end.
    private func nextDue() -> Double? {
        state.withLock { state in
            guard state.isRunning, state.next + 1 < times.count else { return nil }
            return start + Double(times[state.next + 1]) / 48_000
        }
    }

    /// The manifest says that nothing more comes.
    package func end() throws {
        let text = state.withLock { state in
            (state.isRunning, state.hasEnded) = (false, true)
            return manifest(state)
        }
        try web.publish(text: text, as: path)
    }
}
