/// The segment that is read.
struct SegmentReading {
    let place: SegmentPlan.Place
    /// Where the playlist came from that names it.
    let base: String
    /// `nil` until its key is there.
    var stream: SegmentStream?
    /// What was read to see what it is, and is not given yet.
    var head: [UInt8] = []
    var given = 0
    /// What the demuxer reads before it.
    var initialization: [UInt8]?
    /// `nil` until it is known.
    var container: SegmentContainer?
    /// Whether its key was asked for anew, because with the one that was known it was nothing.
    var hasFreshKey = false
    /// Whether a part was said to begin with it, or a byte of it has left us: it is not given again.
    var isTaken = false

    /// Gives what is held.
    mutating func takeHeld(into target: UnsafeMutableRawBufferPointer) -> Int {
        if let bytes = initialization {
            let count = unsafe Self.copy(bytes, from: given, into: target)
            given += count
            isTaken = true
            if given == bytes.count {
                initialization = nil
                given = 0
            }
            if count > 0 { return count }
        }
        let count = unsafe Self.copy(head, from: given, into: target)
        given += count
        if count > 0 { isTaken = true }
        return count
    }

    private static func copy(
        _ bytes: [UInt8],
        from start: Int,
        into target: UnsafeMutableRawBufferPointer
    ) -> Int {
        let count = min(bytes.count - start, target.count)
        guard count > 0 else { return 0 }
        unsafe bytes.withUnsafeBytes { source in
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: source[start..<start + count]))
        }
        return count
    }
}
