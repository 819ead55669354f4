internal import AudioTypes
internal import FFmpeg
private import Glibc
internal import Mixing

/// Renders the group's frames for one member: in its format, with its gain, into a ring of its own.
@safe
struct Feed: ~Copyable {
    let target: AudioFormat
    /// What the member takes its frames from.
    let store: FrameRing
    private let source: AudioFormat
    private(set) var map: FrameMap
    var ring: (any FrameReading)?
    /// The group's next frame to be rendered.
    private(set) var position = FramePosition.zero
    /// Frames from here on are about to change.
    var hold: FramePosition?
    /// `nil`: the samples stay as they are.
    var volume: SoftwareVolume?
    private var converter: FormatConverter?
    /// Frames to be dropped of what the converter gives, which are there already.
    private var skip = 0
    private let scratch: UnsafeMutableRawBufferPointer

    /// Frames rendered at once.
    private static let chunk = 4_096
    /// Frames that a resampler is given before those that count, so that it sounds as if it had never been interrupted.
    private static let warmUp = 1_024

    /// - Parameter capacity: Seconds of frames that are kept for the member.
    init(from source: AudioFormat, to target: AudioFormat, capacity: Double) {
        self.source = source
        self.target = target
        store = FrameRing(format: target, capacity: max(65_536, 32_768 + target.frames(in: capacity)))
        map = FrameMap(groupRate: source.sampleRate, memberRate: target.sampleRate)
        unsafe scratch = .allocate(byteCount: Self.chunk * source.bytesPerFrame, alignment: 64)
    }

    deinit { unsafe scratch.deallocate() }

    /// Whether there is room for more.
    var hasRoom: Bool { store.free >= 16_384 }

    /// The end of what may be rendered.
    var bound: FramePosition {
        guard let ring else { return position }
        return hold.map { min($0, ring.written) } ?? ring.written
    }

    /// Goes on with the group's frame `position`; it follows what is rendered already.
    mutating func jump(to position: FramePosition) {
        self.position = position
        map.join(group: position.index, member: store.written.index)
        converter = nil
        skip = 0
    }

    /// Renders some frames.
    ///
    /// - Returns: Whether there were any.
    mutating func render(to end: FramePosition) throws -> Bool {
        guard let ring, end > position else { return false }
        if target != source, converter == nil { converter = try FormatConverter(from: source, to: target) }
        // What does not fit into the rest of this ring's memory comes the next time.
        let room = min(store.free, 2 * Self.chunk)
        let fitting =
            switch converter {
            case .some(let converter): converter.fitting(room)
            case nil: room
            }
        let wanted = min(end - position, Self.chunk, fitting)
        guard wanted > 0, let base = unsafe scratch.baseAddress else { return false }
        let count = unsafe ring.read(at: position, into: base, count: wanted)
        // They may have been given up meanwhile, and written over.
        guard ring.kept <= position else { return false }
        let first = store.written.index
        _ = unsafe try store.write { region in
            var produced = unsafe try convert(
                UnsafeRawBufferPointer(rebasing: scratch[..<(count * source.bytesPerFrame)]),
                into: region
            )
            let dropped = min(skip, produced)
            skip -= dropped
            produced -= dropped
            guard let start = region.baseAddress else { return 0 }
            if dropped > 0 {
                unsafe memmove(start, start + dropped * target.bytesPerFrame, produced * target.bytesPerFrame)
            }
            unsafe volume?.apply(to: start, count: produced, at: first, format: target)
            return produced
        }
        position += count
        return count > 0
    }

    private mutating func convert(
        _ bytes: UnsafeRawBufferPointer,
        into region: UnsafeMutableRawBufferPointer
    ) throws -> Int {
        guard converter == nil else { return unsafe try converter?.convert(bytes, into: region) ?? 0 }
        unsafe region.copyMemory(from: bytes)
        return bytes.count / target.bytesPerFrame
    }

    /// Whether the member's frames from `frame` on can be rendered again.
    func canRepeat(from frame: Int) -> Bool {
        guard let ring, frame >= store.kept.index, frame >= map.memberOrigin else { return false }
        return restart(for: frame) >= ring.kept.index
    }

    /// Takes back the member's frames from `frame` on; they are rendered again next.
    ///
    /// The member must have been told.
    mutating func goBack(to frame: Int) {
        let frame = min(frame, store.written.index)
        let start = restart(for: frame)
        position = FramePosition(start)
        skip = frame - map.member(start)
        converter = nil
        store.truncate(to: FramePosition(frame))
    }

    /// The group's frame to begin with, so that the member's frames from `frame` on come out the same as before.
    private func restart(for frame: Int) -> Int {
        let group = Int(map.group(Double(frame)))
        guard target != source else { return group }
        let kept = ring?.kept.index ?? 0
        let early = map.common(before: group - Self.warmUp)
        return early >= kept ? early : map.common(before: group)
    }
}
