import AudioTypes
import TestSupport

/// Tells to a millisecond when something was heard.
struct Ear: Sendable {
    let capture: MonitorCapture
    /// How much earlier than it is heard a frame is mixed, and so recorded, in seconds: PulseAudio mixes a piece at a
    /// time, just before its first frame is due.
    private let lead: Double

    /// Begins to listen; the server then mixes about a millisecond at a time.
    init(at server: PulseServer) async throws {
        capture = try await MonitorCapture(of: server, latency: 1)
        lead = try Self.configuredLatency(of: server)
    }

    /// When a frame was heard.
    func time(of frame: Int) -> ContinuousClock.Instant { capture.current.time(of: frame) + .seconds(lead) }

    /// From a moment to when a frame was heard, in milliseconds.
    func milliseconds(from start: ContinuousClock.Instant, to frame: Int) -> Double {
        time(of: frame).seconds(since: start) * 1000
    }

    /// The frame that was heard at a moment shortly before the last one recorded.
    func frame(at moment: ContinuousClock.Instant) -> Int {
        let recording = capture.current
        let near = max(0, recording.frames - Material.sampleRate / 4)
        let distance = moment.seconds(since: recording.time(of: near)) - lead
        return near + recording.format.frames(in: distance)
    }

    /// What `pactl` says of the sink: "Latency: 312 usec, configured 998 usec".
    private static func configuredLatency(of server: PulseServer) throws -> Double {
        let lines = try server.control("list", "sinks").split(separator: "\n")
        let line = lines.first { $0.contains("Latency:") && $0.contains("configured") }
        let words = line?.split(separator: " ") ?? []
        return words.dropLast().last.flatMap { Double($0) }.map { $0 * 1e-6 } ?? 0
    }
}
