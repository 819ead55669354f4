import AudioTypes
import Glibc
import Mixing
import Synchronization
import Testing
import Threads

/// The ring keeps every frame where it was written, however often it wraps.
struct FrameRingTests {
    private static let mono = AudioFormat(sampleFormat: .s32, sampleRate: 48_000, channels: .mono)

    /// Writes the frames' own positions, plus an offset that tells one writing of a place from another.
    @discardableResult
    private func write(_ ring: FrameRing, _ count: Int, offset: Int = 0) -> Int {
        let start = ring.written.index
        return unsafe ring.write { region in
            let samples = unsafe region.bindMemory(to: Int32.self)
            let count = min(count, samples.count)
            for index in 0..<count { unsafe samples[index] = Int32(truncatingIfNeeded: start + index + offset) }
            return count
        }
    }

    private func read(_ ring: FrameRing, at position: Int, _ count: Int) -> [Int32] {
        var frames = [Int32](repeating: -1, count: count)
        let got = unsafe frames.withUnsafeMutableBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe ring.read(at: FramePosition(position), into: $0, count: count) } ?? 0
        }
        return Array(frames.prefix(got))
    }

    private func expected(_ range: Range<Int>) -> [Int32] { range.map { Int32(truncatingIfNeeded: $0) } }

    @Test func whatWasWrittenIsRead() {
        let ring = FrameRing(format: Self.mono, capacity: 20_000)
        #expect(ring.free == 20_000 && ring.written == .zero)
        write(ring, 300)
        #expect(read(ring, at: 0, 300) == expected(0..<300))
        #expect(read(ring, at: 100, 1_000) == expected(100..<300))
        #expect(read(ring, at: 300, 10) == [])
        #expect(read(ring, at: 5_000, 10) == [])
    }

    /// Odd pieces over many rounds, with all that is kept compared each time.
    @Test func wrapsExactly() {
        let ring = FrameRing(format: Self.mono, capacity: 20_011)
        var pieces = 1
        while ring.written.index < 200_000 {
            ring.discard(before: ring.written - 9_000)
            pieces = pieces * 31 % 7_919
            write(ring, pieces)
            let kept = ring.kept.index..<ring.written.index
            #expect(read(ring, at: kept.lowerBound, kept.count + 1) == expected(kept))
        }
    }

    /// What runs over the end is folded back whole, be it a single frame.
    @Test(arguments: [1, 2, 100, 8_192])
    func runsOverTheEnd(_ overrun: Int) {
        let ring = FrameRing(format: Self.mono, capacity: 20_000)
        write(ring, 19_000)
        ring.discard(before: ring.written - 10)
        #expect(write(ring, 1_000 + overrun) == 1_000 + overrun)
        #expect(read(ring, at: 19_000, 20_000) == expected(19_000..<20_000 + overrun))
        write(ring, 50)
        #expect(read(ring, at: 19_990, 20_000) == expected(19_990..<20_050 + overrun))
    }

    /// No more is written than there is room for, and nothing that is kept is lost.
    @Test func keepsWhatItMust() {
        let ring = FrameRing(format: Self.mono, capacity: 16_384)
        var total = 0
        while ring.free > 0 { total += write(ring, 100_000) }
        #expect(total == 16_384)
        #expect(write(ring, 1) == 0)
        #expect(read(ring, at: 0, 20_000) == expected(0..<16_384))
        ring.discard(before: FramePosition(1))
        #expect(ring.free == 1)
        #expect(write(ring, 100) == 1)
        #expect(read(ring, at: 1, 20_000) == expected(1..<16_385))
        // Going back and going beyond change nothing.
        ring.discard(before: .zero)
        #expect(ring.kept.index == 1)
        ring.discard(before: FramePosition(1_000_000))
        #expect(ring.kept == ring.written)
        #expect(ring.free == 16_384)
    }

    @Test func truncatedFramesAreWrittenAnew() {
        let ring = FrameRing(format: Self.mono, capacity: 20_000)
        for _ in 0..<40 {
            ring.discard(before: ring.written - 1_000)
            write(ring, 3_333)
        }
        let cut = ring.written.index - 2_000
        ring.truncate(to: FramePosition(cut))
        #expect(ring.written.index == cut)
        #expect(read(ring, at: cut, 10) == [])
        #expect(read(ring, at: cut - 500, 1_000) == expected(cut - 500..<cut))
        write(ring, 5_000, offset: 7)
        #expect(read(ring, at: cut - 1, 2) == [Int32(cut - 1), Int32(cut + 7)])
        #expect(read(ring, at: cut, 5_000) == expected(cut + 7..<cut + 5_007))
    }

    /// Frames of an odd size are whole at the seam.
    @Test func framesAreWholeAtTheSeam() {
        let format = AudioFormat(sampleFormat: .s16, sampleRate: 44_100, channels: ChannelLayout(count: 3))
        let ring = FrameRing(format: format, capacity: 16_385)
        var next: Int16 = 0
        while ring.written.index < 40_000 {
            ring.discard(before: ring.written - 100)
            let start = next
            let count = unsafe ring.write { region in
                let samples = unsafe region.bindMemory(to: Int16.self)
                let count = min(977, samples.count / 3)
                for index in 0..<count * 3 { unsafe samples[index] = start &+ Int16(truncatingIfNeeded: index) }
                return count
            }
            next = start &+ Int16(truncatingIfNeeded: count * 3)
            var frames = [Int16](repeating: 0, count: count * 3)
            unsafe frames.withUnsafeMutableBytes { bytes in
                if let base = bytes.baseAddress {
                    _ = unsafe ring.read(at: ring.written - count, into: base, count: count)
                }
            }
            #expect(frames == (0..<count * 3).map { start &+ Int16(truncatingIfNeeded: $0) })
        }
    }

    /// A reader on its own thread finds every frame in order while the writer wraps.
    @Test func aReaderFollowsTheWriter() async {
        let ring = FrameRing(format: Self.mono, capacity: 16_384)
        let total = 2_000_000
        let shared = Shared(ring: ring)
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await withCheckedContinuation { done in
                    WorkThread.startWhenPossible(named: "ring-reader") {
                        var position = 0
                        var frames = [Int32](repeating: 0, count: 1_500)
                        while position < total {
                            let count = unsafe frames.withUnsafeMutableBytes { bytes in
                                unsafe bytes.baseAddress.map {
                                    unsafe ring.read(at: FramePosition(position), into: $0, count: 1_500)
                                } ?? 0
                            }
                            for index in 0..<count where frames[index] != Int32(position + index) {
                                shared.wrong.add(1, ordering: .relaxed)
                            }
                            position += count
                            shared.heard.store(position, ordering: .releasing)
                            if count == 0 { sched_yield() }
                        }
                        done.resume()
                    }
                }
            }
            var piece = 1
            while ring.written.index < total {
                ring.discard(before: FramePosition(shared.heard.load(ordering: .acquiring)))
                piece = piece * 31 % 4_093
                if write(ring, min(piece, total - ring.written.index)) == 0 { await Task.yield() }
            }
            await group.waitForAll()
        }
        #expect(shared.heard.load(ordering: .relaxed) == total)
        #expect(shared.wrong.load(ordering: .relaxed) == 0)
    }

    private final class Shared: Sendable {
        let ring: FrameRing
        let heard = Atomic(0)
        let wrong = Atomic(0)

        init(ring: FrameRing) { self.ring = ring }
    }
}
