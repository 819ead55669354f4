import AudioTypes
import Mixing
import Outputs
import Synchronization
import Testing

/// Nothing is heard, in real time.
struct NullOutputTests {
    /// Frames for minutes, so that none run out however late a busy machine wakes a test; they are never touched.
    private static let plenty = 20_000_000
    private let ring = FrameRing(format: .cd, capacity: 3 * plenty)
    private let output = NullOutput()
    private let changes = Counter()

    private final class Counter: Sendable {
        let value = Atomic(0)
    }

    init() {
        output.attach(ring) { [changes] event in
            if event == .clockChanged { changes.value.add(1, ordering: .relaxed) }
        }
    }

    private func fill(_ count: Int) {
        var rest = count
        while rest > 0 {
            let room = rest
            rest -= unsafe ring.write { min(room, $0.count / 4) }
        }
        output.framesAvailable()
    }

    @Test func movesInRealTime() async throws {
        fill(Self.plenty)
        #expect(output.clock.frame == 0 && output.clock.rate == 0)
        let start = HostTime.now
        output.start()
        let started = HostTime.now
        try await Task.sleep(for: .milliseconds(200))
        let clock = output.clock
        #expect(clock.rate == 44_100)
        #expect(clock.frame <= (clock.time - start) * 44_100 + 1 && clock.frame >= (clock.time - started) * 44_100 - 1)
        #expect(abs(clock.frame(at: clock.time + 1) - clock.frame - 44_100) < 1e-3)
        let soon = try #require(clock.time(of: FramePosition(Int(clock.frame) + 4_410)))
        #expect(abs((soon - clock.time) - 0.1) < 1e-4)
    }

    @Test func standsWhilePausedAndGoesOn() async throws {
        fill(Self.plenty)
        output.start()
        try await Task.sleep(for: .milliseconds(50))
        output.pause()
        let frame = output.clock.frame
        #expect(output.clock.rate == 0 && output.clock.time(of: FramePosition(Self.plenty - 1)) == nil)
        try await Task.sleep(for: .milliseconds(100))
        #expect(output.clock.frame == frame)
        let again = HostTime.now
        output.start()
        let clock = output.clock
        #expect(clock.frame - frame <= (clock.time - again) * 44_100 + 1)
        #expect(output.clock.rate == 44_100)
    }

    @Test func standsWhereFramesEnd() async throws {
        fill(2_000)
        output.start()
        try await Task.sleep(for: .milliseconds(120))
        #expect(output.clock.frame == 2_000 && output.clock.rate == 0)
        let before = changes.value.load(ordering: .relaxed)
        let filling = HostTime.now
        fill(Self.plenty)
        // A client that computed times from the standing clock is told that it moves again.
        #expect(changes.value.load(ordering: .relaxed) == before + 1)
        try await Task.sleep(for: .milliseconds(50))
        let clock = output.clock
        // The time without frames is not made up for.
        #expect(clock.rate == 44_100 && clock.frame > 2_000)
        #expect(clock.frame <= 2_001 + (clock.time - filling) * 44_100)
        fill(10)
        #expect(changes.value.load(ordering: .relaxed) == before + 1)
    }

    @Test func jumps() async throws {
        fill(Self.plenty)
        output.start()
        output.discard(to: FramePosition(Self.plenty))
        #expect(output.clock.frame == Double(Self.plenty) && output.clock.rate == 0)
        fill(Self.plenty)
        try await Task.sleep(for: .milliseconds(30))
        #expect(output.clock.frame > Double(Self.plenty) && output.clock.rate == 44_100)
        // What is to come changes: it stands there until the new frames are told of.
        output.rewind(to: FramePosition(Self.plenty + 500))
        try await Task.sleep(for: .milliseconds(30))
        let frame = output.clock.frame
        #expect(output.clock.rate == 0)
        output.framesAvailable()
        try await Task.sleep(for: .milliseconds(10))
        #expect(output.clock.frame > frame)
    }

    @Test func endsOnClose() async throws {
        fill(Self.plenty)
        output.start()
        output.close()
        let frame = output.clock.frame
        try await Task.sleep(for: .milliseconds(30))
        #expect(output.clock.frame == frame && output.clock.rate == 0)
    }
}
