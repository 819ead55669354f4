internal import AudioTypes
internal import Mixing

/// The frames of a crossfade on their way into the ring: an item's last frames, withheld until the next item is open,
/// and the frames mixed under its first ones.
struct CrossfadeBuffer: Sendable {
    private let format: AudioFormat
    /// The item's last frames, withheld from the ring because the next item may start under them.
    private var withheld: [UInt8] = []
    /// Frames withheld at most; `nil` while the item's end is not near.
    var limit: Int?
    /// Frames to mix under those being decoded.
    private var overlay: Overlay?

    init(_ format: AudioFormat) { self.format = format }

    /// The number of withheld frames.
    var count: Int { withheld.count / format.bytesPerFrame }

    /// Withholds frames that were decoded after those withheld already.
    mutating func append(_ frames: UnsafeRawBufferPointer) { unsafe withheld.append(contentsOf: frames) }

    /// Withholds frames taken back out of the ring, in place of any others.
    mutating func withhold(_ frames: [UInt8]) { withheld = frames }

    /// Moves withheld frames to `region`, except the last ones.
    ///
    /// - Returns: Their number.
    mutating func release(keeping kept: Int, into region: UnsafeMutableRawBufferPointer) -> Int {
        let size = format.bytesPerFrame
        let frames = max(0, min(count - kept, region.count / size))
        unsafe withheld.withUnsafeBytes {
            unsafe region.copyMemory(from: .init(rebasing: $0[..<(frames * size)]))
        }
        withheld.removeFirst(frames * size)
        return frames
    }

    /// Begins the next item: mixes the withheld frames under its first ones, or drops them if `curve` is `nil`.
    mutating func begin(_ curve: Overlay.Curve?) {
        if let curve { overlay = Overlay(withheld, format: format, curve: curve) }
        withheld = []
    }

    /// Lets frames fade out under those decoded next.
    mutating func fadeOut(_ frames: [UInt8]) { overlay = Overlay(frames, format: format, curve: .equalPower) }

    /// Mixes the fading frames into newly decoded ones.
    mutating func mix(into frames: UnsafeMutableRawPointer, _ count: Int) {
        guard overlay != nil else { return }
        unsafe overlay?.mix(into: frames, count: count)
        if overlay?.isOver == true { overlay = nil }
    }

    mutating func removeAll() {
        withheld = []
        limit = nil
        overlay = nil
    }
}
