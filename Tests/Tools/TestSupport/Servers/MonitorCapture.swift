package import AudioTypes

/// Records what a sink really plays, while it plays, from its monitor.
///
/// The monitor dies with its server: after a restart a new capture is needed.
package final class MonitorCapture: Sendable {
    private let process: ChildProcess
    private let recording: Watched<Recording>
    /// Its name at the server.
    private let monitor: String

    /// Starts recording and returns when the first frames have come.
    ///
    /// - Parameters:
    ///   - format: What to record as; by default the sink's own, so that nothing is converted.
    ///   - latency: How many milliseconds are recorded, and so mixed, at a time.
    package init(
        of server: any SoundServer,
        sink: NullSink? = nil,
        format: AudioFormat? = nil,
        latency: Int = 5
    ) async throws {
        let sink = sink ?? server.sink
        let format = format ?? sink.format
        let recording = Watched(Recording(format: format))
        self.recording = recording
        monitor = sink.monitor
        process = try ChildProcess(
            "parec",
            [
                "--device=\(sink.monitor)", "--format=\(format.pulseName)", "--rate=\(format.sampleRate)",
                "--channels=\(format.channels.count)", "--latency-msec=\(latency)", "--raw", "--client-name=capture",
            ],
            environment: server.clientEnvironment
        ) { bytes in
            let now = ContinuousClock.now
            recording.withLock { $0.append(bytes, at: now) }
        }
        try await wait("anything") { $0.frames > 0 }
    }

    /// All that has been recorded so far.
    package var current: Recording { recording.current }

    /// The number of frames recorded so far: the place of what is played now.
    package var frames: Int { recording.withLock { $0.frames } }

    /// Ends the recording and returns it.
    @discardableResult
    package func stop() -> Recording {
        process.end()
        return current
    }

    /// Waits until `condition` holds for the recording; it is looked at after every piece of about 5 ms, so it has to
    /// be quick.
    package func wait(
        _ what: String,
        within deadline: Duration = .patience,
        until condition: @escaping @Sendable (borrowing Recording) -> Bool
    ) async throws {
        if await recording.wait(within: deadline, until: condition) { return }
        let soundEnd = recording.withLock { $0.soundEnd }
        throw CaptureError.deadline(
            "\(what) did not come from \(monitor) within \(deadline); "
                + "there are \(frames) frames, the last sound ends at \(soundEnd). \(process.errorText)"
        )
    }

    /// Waits until `count` frames have been recorded after `frame`.
    package func waitForFrames(_ count: Int, after frame: Int, within deadline: Duration = .patience) async throws {
        try await wait("\(count) frames", within: deadline) { $0.frames >= frame + count }
    }

    /// Waits for sound (a sample above −60 dB) at or after `frame`.
    ///
    /// - Returns: The first frame of it.
    @discardableResult
    package func waitForSound(after frame: Int = 0, within deadline: Duration = .patience) async throws -> Int {
        try await wait("sound", within: deadline) { $0.firstSound(after: frame) != nil }
        return current.firstSound(after: frame) ?? frame
    }

    /// Waits until nothing but silence has been heard for `duration` at or after `frame`.
    ///
    /// - Returns: The first frame of the silence.
    @discardableResult
    package func waitForSilence(
        of duration: Duration = .milliseconds(200),
        after frame: Int = 0,
        within deadline: Duration = .patience
    ) async throws -> Int {
        let wanted = current.format.frames(in: duration.seconds)
        try await wait("silence", within: deadline) { $0.frames - max($0.soundEnd, frame) >= wanted }
        return max(current.soundEnd, frame)
    }
}

package enum CaptureError: Error, Sendable {
    case deadline(String)
}
