package import AudioTypes
private import Glibc
private import Synchronization

/// The frames between the decoder and the outputs: decoded ahead, or sent but perhaps not heard yet.
///
/// One thread writes, each output reads at its own position. Positions count from the first frame ever written and
/// never restart, so a reader can go back to any frame that is still kept: that is what makes a deep buffer changeable.
///
/// Sound as `@unchecked Sendable`: the memory is written only between `written` and the end of the kept span, by the
/// one writer, and read only between `kept` and `written`; both bounds are atomics, released after the bytes they
/// cover.
@safe
package final class FrameRing: FrameReading, @unchecked Sendable {
    package let format: AudioFormat
    /// Frames, the kept ones included.
    package let capacity: Int
    private let bytesPerFrame: Int
    private let bytes: UnsafeMutableRawBufferPointer
    private let writtenIndex = Atomic<Int>(0)
    private let keptIndex = Atomic<Int>(0)

    /// Frames after the end of the ring that a write may spill into before they are copied back to its start.
    private static let slack = 8_192

    /// Allocates all memory; none is allocated afterwards.
    ///
    /// - Parameter start: The position of the first frame.
    package init(format: AudioFormat, capacity: Int, at start: FramePosition = .zero) {
        precondition(capacity >= 2 * Self.slack, "a ring holds more than one write")
        self.format = format
        self.capacity = capacity
        bytesPerFrame = format.bytesPerFrame
        unsafe bytes = Self.map((capacity + Self.slack) * format.bytesPerFrame)
        writtenIndex.store(start.index, ordering: .relaxed)
        keptIndex.store(start.index, ordering: .relaxed)
    }

    deinit { unsafe munmap(bytes.baseAddress, bytes.count) }

    /// Maps pages of its own, which are returned to the system with the ring.
    ///
    /// On the heap the rings of announcements, two megabytes each, would end up between small allocations that stay.
    private static func map(_ count: Int) -> UnsafeMutableRawBufferPointer {
        let pages = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let pages = unsafe pages, unsafe pages != MAP_FAILED else { fatalError("no memory for \(count) bytes") }
        return unsafe UnsafeMutableRawBufferPointer(start: pages, count: count)
    }

    /// The end of the written frames.
    package var written: FramePosition { FramePosition(writtenIndex.load(ordering: .sequentiallyConsistent)) }

    /// The first frame that is still available.
    package var kept: FramePosition { FramePosition(keptIndex.load(ordering: .acquiring)) }

    // MARK: The writer's side

    /// Releases frames before a position, to be overwritten.
    ///
    /// Moving back has no effect.
    package func discard(before position: FramePosition) {
        let index = min(position.index, writtenIndex.load(ordering: .relaxed))
        guard index > keptIndex.load(ordering: .relaxed) else { return }
        keptIndex.store(index, ordering: .releasing)
    }

    /// The number of frames that can be written without losing kept ones.
    package var free: Int {
        capacity - (writtenIndex.load(ordering: .relaxed) - keptIndex.load(ordering: .relaxed))
    }

    /// Lets `body` fill free memory after the written frames, and adds the number it returns.
    ///
    /// - Parameter body: Gets room for a whole number of frames; returns how many it wrote.
    package func write(_ body: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows -> Int {
        let index = writtenIndex.load(ordering: .relaxed)
        let offset = index % capacity
        let room = min(free, capacity - offset + Self.slack)
        let start = offset * format.bytesPerFrame
        let region = unsafe UnsafeMutableRawBufferPointer(rebasing: bytes[start..<start + room * format.bytesPerFrame])
        let count = unsafe try body(region)
        precondition((0...room).contains(count), "wrote more frames than there was room for")
        let overrun = offset + count - capacity
        if overrun > 0, let base = unsafe bytes.baseAddress {
            unsafe base.copyMemory(
                from: base + capacity * format.bytesPerFrame,
                byteCount: overrun * format.bytesPerFrame
            )
        }
        writtenIndex.store(index + count, ordering: .sequentiallyConsistent)
        return count
    }

    /// Removes the frames written from a position on.
    ///
    /// A reader that is beyond it finds nothing, and has to go back.
    package func truncate(to position: FramePosition) {
        precondition(position >= kept && position <= written, "truncates to a frame that is there")
        writtenIndex.store(position.index, ordering: .sequentiallyConsistent)
    }

    // MARK: The readers' side

    /// Copies frames from a position on, as many as are available.
    ///
    /// Real-time safe: no allocation, no lock.
    @_noAllocation @_noLocks
    package func read(
        at position: FramePosition,
        into target: UnsafeMutableRawPointer,
        count: Int
    ) -> Int {
        let available = writtenIndex.load(ordering: .sequentiallyConsistent) - position.index
        let frames = max(0, min(count, available))
        let offset = position.index % capacity
        let first = min(frames, capacity - offset)
        let size = bytesPerFrame
        guard let base = unsafe bytes.baseAddress else { return 0 }
        unsafe target.copyMemory(from: base + offset * size, byteCount: first * size)
        if frames > first {
            unsafe (target + first * size).copyMemory(from: base, byteCount: (frames - first) * size)
        }
        return frames
    }
}
