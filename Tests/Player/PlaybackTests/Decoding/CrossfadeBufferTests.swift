import AudioTypes
import Mixing
import Testing

@testable import Playback

/// Frames of one channel that wait for the next item, and are mixed under it.
struct CrossfadeBufferTests {
    private var buffer = CrossfadeBuffer(AudioFormat(sampleFormat: .s16, sampleRate: 44_100, channels: .mono))

    private mutating func append(_ samples: [Int16]) {
        unsafe samples.withUnsafeBytes { unsafe buffer.append($0) }
    }

    private mutating func release(keeping kept: Int, room: Int = 100) -> [Int16] {
        var samples = [Int16](repeating: 0, count: room)
        let count = unsafe samples.withUnsafeMutableBytes { unsafe buffer.release(keeping: kept, into: $0) }
        return Array(samples.prefix(count))
    }

    private mutating func mixed(into samples: [Int16]) -> [Int16] {
        var samples = samples
        unsafe samples.withUnsafeMutableBytes { bytes in
            if let base = bytes.baseAddress { unsafe buffer.mix(into: base, bytes.count / 2) }
        }
        return samples
    }

    @Test mutating func withholdsTheLastFrames() {
        append([1, 2, 3])
        append([4, 5])
        #expect(buffer.count == 5)
        #expect(release(keeping: 3) == [1, 2])
        #expect(release(keeping: 3) == [])
        #expect(release(keeping: 9) == [])
        #expect(release(keeping: 0, room: 2) == [3, 4])
        #expect(release(keeping: 0) == [5])
        #expect(buffer.count == 0)
    }

    @Test mutating func mixesThemUnderTheNextItem() {
        append([100, 200, 300])
        buffer.begin(.sum)
        #expect(buffer.count == 0)
        #expect(mixed(into: [1, 1]) == [101, 201])
        #expect(mixed(into: [1, 1]) == [301, 1])
        #expect(mixed(into: [1]) == [1])
    }

    @Test mutating func dropsThemWithoutACurve() {
        append([100])
        buffer.begin(nil)
        #expect(buffer.count == 0)
        #expect(mixed(into: [1]) == [1])
    }

    @Test mutating func fadesOutUnderAJump() {
        buffer.fadeOut([0xe8, 0x03, 0xe8, 0x03])
        let mixed = mixed(into: [0, 0, 0])
        #expect(mixed[0] > mixed[1] && mixed[1] > 0 && mixed[2] == 0)
    }

    @Test mutating func forgetsEverything() {
        append([100])
        buffer.begin(.sum)
        append([200])
        buffer.limit = 7
        buffer.removeAll()
        #expect(buffer.count == 0 && buffer.limit == nil)
        #expect(mixed(into: [1]) == [1])
    }
}
