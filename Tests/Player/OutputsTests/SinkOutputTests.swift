import AudioTypes
import Glibc
import Mixing
import Outputs
import Synchronization
import TestSupport
import Testing

/// Files and pipes get every frame once, in order, and as loud as they are to be.
struct SinkOutputTests {
    /// Keeps what it is given.
    private final class MemorySink: FrameSink {
        struct State: Sendable {
            var samples: [Int16] = []
            var writes = 0
            var isFinished = false
        }
        let state: Handle
        /// The write that fails.
        let failing: Int

        final class Handle: Sendable {
            let value = Mutex(State())
        }

        struct Full: Error, CustomStringConvertible {
            let description = "x.wav: full"
        }

        init(_ state: Handle, failing: Int = .max) {
            self.state = state
            self.failing = failing
        }

        func write(_ bytes: UnsafeRawBufferPointer) throws {
            let samples = unsafe Array(bytes.bindMemory(to: Int16.self))
            try state.value.withLock {
                $0.writes += 1
                if $0.writes >= failing { throw Full() }
                $0.samples += samples
            }
        }

        func finish() { state.value.withLock { $0.isFinished = true } }
    }

    private final class Events: Sendable {
        private let list = Mutex<[OutputEvent]>([])
        func add(_ event: OutputEvent) { list.withLock { $0.append(event) } }
        var failures: [String] {
            list.withLock { list in
                list.compactMap { event in
                    if case .failed(let reason) = event { reason } else { nil }
                }
            }
        }
    }

    private let ring = FrameRing(format: .cd, capacity: 200_000)
    private let events = Events()

    /// Writes frames that tell their place.
    private func fill(_ count: Int, offset: Int = 0) {
        var rest = count
        while rest > 0 {
            let start = ring.written.index + offset
            rest -= unsafe ring.write { region in
                let samples = unsafe region.bindMemory(to: Int16.self)
                let count = min(rest, samples.count / 2)
                for index in 0..<2 * count { unsafe samples[index] = Self.sample(start + index / 2) }
                return count
            }
        }
    }

    private static func sample(_ frame: Int) -> Int16 { Int16(truncatingIfNeeded: frame % 20_000) }

    private func expected(_ range: Range<Int>) -> [Int16] { range.flatMap { [Self.sample($0), Self.sample($0)] } }

    private func waitUntil(_ condition: () -> Bool) async throws {
        for _ in 0..<2_000 where !condition() { try await Task.sleep(for: .milliseconds(5)) }
        try #require(condition())
    }

    @Test func everyFrameIsWrittenOnce() async throws {
        let handle = MemorySink.Handle()
        let output = SinkOutput(format: .cd, sink: MemorySink(handle))
        output.attach(ring, events: events.add)
        fill(30_001)
        try await Task.sleep(for: .milliseconds(20))
        #expect(handle.value.withLock { $0.samples.isEmpty })
        output.start()
        try await waitUntil { output.clock.frame == 30_001 }
        fill(100_000)
        output.framesAvailable()
        try await waitUntil { output.clock.frame == 130_001 }
        #expect(!handle.value.withLock { $0.isFinished })
        output.close()
        let state = handle.value.withLock { $0 }
        #expect(state.isFinished)
        #expect(state.samples == expected(0..<130_001))
        #expect(events.failures == [])
    }

    @Test func pausesAndJumps() async throws {
        let handle = MemorySink.Handle()
        let output = SinkOutput(format: .cd, sink: MemorySink(handle))
        output.attach(ring, events: events.add)
        fill(10_000)
        output.start()
        try await waitUntil { output.clock.frame == 10_000 }
        output.pause()
        fill(10_000)
        output.framesAvailable()
        try await Task.sleep(for: .milliseconds(20))
        #expect(output.clock.frame == 10_000)
        output.discard(to: FramePosition(15_000))
        output.start()
        try await waitUntil { output.clock.frame == 20_000 }
        output.close()
        #expect(handle.value.withLock { $0.samples } == expected(0..<10_000) + expected(15_000..<20_000))
    }

    @Test func closingAtOnceFinishes() {
        let handle = MemorySink.Handle()
        let output = SinkOutput(format: .cd, sink: MemorySink(handle))
        output.close()
        #expect(handle.value.withLock { $0.isFinished && $0.writes == 0 })
    }

    @Test func aFailureIsToldOnce() async throws {
        let handle = MemorySink.Handle()
        let output = SinkOutput(format: .cd, sink: MemorySink(handle, failing: 2))
        output.attach(ring, events: events.add)
        fill(50_000)
        output.start()
        try await waitUntil { !events.failures.isEmpty }
        output.framesAvailable()
        try await Task.sleep(for: .milliseconds(20))
        #expect(events.failures == ["x.wav: full"])
        #expect(handle.value.withLock { $0.writes } == 2)
        output.close()
        #expect(handle.value.withLock { $0.isFinished })
    }

    /// No server sets the volume, so the samples have it.
    @Test func volumeIsInTheSamples() async throws {
        let handle = MemorySink.Handle()
        let output = SinkOutput(format: .cd, sink: MemorySink(handle))
        output.attach(ring, events: events.add)
        output.setVolume(Volume(percent: 50), isMuted: false)
        fill(20_000)
        output.start()
        try await waitUntil { output.clock.frame == 20_000 }
        output.setVolume(Volume(percent: 50), isMuted: true)
        fill(20_000)
        output.framesAvailable()
        try await waitUntil { output.clock.frame == 40_000 }
        output.close()
        let samples = handle.value.withLock { $0.samples }
        // A cube: half the volume is an eighth. The ramps of 20 ms are 882 frames.
        let wrong = (882..<20_000).filter { abs(Float(samples[2 * $0]) - Float(Self.sample($0)) / 8) > 0.51 }
        #expect(wrong.isEmpty)
        #expect(samples[2 * 20_882..<80_000].allSatisfy { $0 == 0 })
        #expect(samples[2 * 20_100] != 0)
    }

    @Test func pipesGetRawFrames() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("raw")
        let sink = try PipeSink(path: path)
        let samples: [Int16] = [1, -2, 300, -400]
        try unsafe samples.withUnsafeBytes { unsafe try sink.write($0) }
        try unsafe samples.withUnsafeBytes { unsafe try sink.write($0) }
        sink.finish()
        #expect(
            try FileBytes.read(path) == Array(repeating: [1, 0, 254, 255, 44, 1, 112, 254], count: 2).flatMap(\.self)
        )
        let missing = folder.file("missing/raw")
        let error = #expect(throws: PipeSink.Failure.self) { try PipeSink(path: missing) }
        #expect(error?.description == "\(missing): No such file or directory")
        let full = try PipeSink(path: "/dev/full")
        let fullError = #expect(throws: PipeSink.Failure.self) {
            try unsafe samples.withUnsafeBytes { unsafe try full.write($0) }
        }
        #expect(fullError?.description == "/dev/full: No space left on device")
    }

    /// A FIFO takes what its reader takes, in order, however small the pipe.
    @Test func aSlowReaderGetsEverything() async throws {
        let folder = try TemporaryFolder()
        let path = folder.file("fifo")
        unsafe try #require(mkfifo(path, 0o600) == 0)
        let reader = try ChildProcess("sh", ["-c", "sleep 0.1; exec md5sum '\(path)'"])
        let output = SinkOutput(format: .cd, sink: try PipeSink(path: path))
        output.attach(ring, events: events.add)
        fill(150_000)
        output.start()
        try await waitUntil { output.clock.frame == 150_000 }
        output.close()
        let sum = try await reader.wait().outputText.prefix(32)
        let bytes = expected(0..<150_000).flatMap {
            [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)]
        }
        let copy = try folder.write("copy", bytes)
        #expect(try await ChildProcess("md5sum", [copy]).wait().outputText.prefix(32) == sum)
    }
}
