import AudioTypes
import TestSupport

/// What was heard at a sink, each side for itself.
struct Hearing {
    let left: [Int32]
    let right: [Int32]

    init(_ recording: Recording, from frame: Int = 0) {
        let samples = recording.integers(in: frame..<max(frame, recording.frames))
        left = stride(from: 0, to: samples.count, by: 2).map { samples[$0] }
        right = stride(from: 1, to: samples.count, by: 2).map { samples[$0] }
    }

    /// How loud a stretch of the left side is.
    func curve(_ code: SignCode, _ range: Range<Int>) -> GainCurve { GainCurve(code, left[range]) }
}

extension MonitorCapture {
    /// Lets some more be heard.
    func hear(_ seconds: Double) async throws {
        try await waitForFrames(current.format.frames(in: seconds), after: frames, within: .seconds(20 + seconds))
    }

    /// Waits until a zone's music is heard as it should be.
    func waitForMusic(after frame: Int = 0) async throws {
        let start = try await waitForSound(after: frame)
        try await waitForFrames(current.format.frames(in: 0.3), after: start)
    }
}
