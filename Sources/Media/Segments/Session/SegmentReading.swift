/// The segment being read.
struct SegmentReading {
    let place: SegmentPlan.Place
    /// The URL of the playlist that lists it.
    let base: String
    /// `nil` until its key is available.
    var stream: SegmentStream?
    /// Bytes read for detection, and not returned yet.
    var head: [UInt8] = []
    var given = 0
    /// The initialisation section to read before it.
    var initialization: [UInt8]?
    /// `nil` until known.
    var container: SegmentContainer?
    /// Whether its key was fetched again, because with the cached one it was not valid media.
    var hasFreshKey = false
    /// Whether a part was declared to start with it, or a byte of it was returned: it must not be repeated.
    var isTaken = false

    /// Returns the bytes held.
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
