import AudioTypes
import Mixing
import Numbers
import TestSupport
import TestTiming
import Testing

@testable import Outputs

/// Frames that a real sound server has, and that are replaced.
@Suite(.serialized, .enabled("pulseaudio is not installed") { PulseServer.missing.isEmpty })
struct PulseRewritingTests {
    /// While the sink is about to take frames, none are replaced; they are some milliseconds later, whatever is changed
    /// behind them in the meantime.
    @Test(.timed) func framesThatWaitAreReplaced() async throws {
        let server = try await PulseServer.start()
        let capture = try await MonitorCapture(of: server)
        var options = PulseOutput.Options()
        options.server = server.address
        let output = try PulseOutput.open(options)
        defer { output.close() }
        let ring = FrameRing(format: output.format, capacity: 8 * output.format.sampleRate)
        ring.append(Signal.integers(Signal.noise(frames: 8 * output.format.sampleRate)))
        let nothing = [Int16](repeating: 0, count: 4 * output.format.sampleRate)
        output.attach(ring) { _ in }
        output.framesAvailable()
        output.start()
        let start = try await capture.waitForSound()
        try await capture.waitForFrames(22_050, after: start)
        let change = ContinuousClock.now
        let (first, waits) = output.loop.locked {
            let first = FramePosition(Int(sample: output.heardFrame) + output.format.frames(in: 0.1))
            output.rewind(to: first)
            ring.truncate(to: first)
            ring.append(nothing)
            output.renderGuard.renderTime = .now
            output.framesAvailable()
            let waits = output.cursor.replaces
            output.rewind(to: first + output.format.sampleRate)
            return (first, waits)
        }
        // They wait for 5 ms, and have 100 ms to arrive.
        try expect(waits, unlessStalledFor: .milliseconds(2), since: change)
        let silence = try await capture.waitForSilence(after: start)
        let distance = silence - start - first.index
        try expect(abs(distance) < 2_205, unlessStalledFor: .milliseconds(20), since: change, "\(distance) frames")
    }
}

extension FrameRing {
    /// Appends frames of two channels, whose samples are in turn.
    fileprivate func append(_ samples: [Int16]) {
        unsafe samples.withUnsafeBytes { bytes in
            var rest = unsafe bytes[...]
            while unsafe !rest.isEmpty {
                let count = unsafe write { region in
                    let size = unsafe min(region.count, rest.count)
                    unsafe region.copyMemory(from: UnsafeRawBufferPointer(rebasing: rest.prefix(size)))
                    return size / format.bytesPerFrame
                }
                unsafe rest = rest.dropFirst(count * format.bytesPerFrame)
            }
        }
    }
}
