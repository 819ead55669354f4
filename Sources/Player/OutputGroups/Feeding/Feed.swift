internal import AudioTypes
private import Glibc
internal import MediaCoding
internal import Mixing

/// Renders the group's frames for one member: in its format, with its gain, into a ring of its own.
@safe
struct Feed: ~Copyable {
    let target: AudioFormat
    /// The ring that the member reads.
    let store: FrameRing
    private(set) var source: AudioFormat
    private(set) var map: FrameMap
    var ring: (any FrameReading)?
    /// The group's next frame to render.
    private(set) var position = FramePosition.zero
    /// Frames from here on are about to change.
    var hold: FramePosition?
    /// `nil`: samples stay unchanged.
    var volume: SoftwareVolume?
    private var converter: FormatConverter?
    /// Converter output to drop, because it has been rendered before.
    private var skip = 0
    private var scratch: UnsafeMutableRawBufferPointer

    /// Frames rendered at once.
    private static let chunk = 4_096
    /// Frames given to a resampler before the wanted ones, so that it sounds as if it had never been interrupted.
    private static let warmUp = 1_024

    /// - Parameter capacity: Seconds of frames kept for the member.
    init(from source: AudioFormat, to target: AudioFormat, capacity: Double) {
        self.source = source
        self.target = target
        store = FrameRing(format: target, capacity: max(65_536, 32_768 + target.frames(in: capacity)))
        map = FrameMap(groupRate: source.sampleRate, memberRate: target.sampleRate)
        unsafe scratch = .allocate(byteCount: Self.chunk * source.bytesPerFrame, alignment: 64)
    }

    deinit { unsafe scratch.deallocate() }

    /// Renders from another format; the ring in that format comes later.
    mutating func reformat(from source: AudioFormat) {
        unsafe scratch.deallocate()
        unsafe scratch = .allocate(byteCount: Self.chunk * source.bytesPerFrame, alignment: 64)
        self.source = source
        ring = nil
        map = FrameMap(groupRate: source.sampleRate, memberRate: target.sampleRate)
        jump(to: position)
    }

    /// Whether there is room for more.
    var hasRoom: Bool { store.free >= 16_384 }

    /// The end of the frames that may be rendered.
    var bound: FramePosition {
        guard let ring else { return position }
        return hold.map { min($0, ring.written) } ?? ring.written
    }

    /// Continues with the group's frame `position`, right after the frames rendered so far.
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
        // The rest that does not fit before the end of this ring's memory comes next time.
        let room = min(store.free, 2 * Self.chunk)
        let fitting =
            switch converter {
            case .some(let converter): converter.fitting(room)
            case nil: room
            }
        let wanted = min(end - position, Self.chunk, fitting)
        guard wanted > 0, let base = unsafe scratch.baseAddress else { return false }
        let count = unsafe ring.read(at: position, into: base, count: wanted)
        // The frames may have been discarded and overwritten in the meantime.
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
    mutating func goBack(to frame: Int) {
        let frame = min(frame, store.written.index)
        let start = restart(for: frame)
        position = FramePosition(start)
        skip = frame - map.member(start)
        converter = nil
        store.truncate(to: FramePosition(frame))
    }

    /// The group's frame to start with, so that the member's frames from `frame` on come out the same as before.
    private func restart(for frame: Int) -> Int {
        let group = Int(sample: map.group(Double(frame)))
        guard target != source else { return group }
        let kept = ring?.kept.index ?? 0
        let early = map.common(before: group - Self.warmUp)
        return early >= kept ? early : map.common(before: group)
    }
}
