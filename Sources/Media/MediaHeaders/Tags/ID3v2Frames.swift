/// A frame of an ID3v2 tag, and the range of its content in the window it was found in.
struct ID3v2Frame {
    /// The four letters as a number; three in version 2.2.
    let id: Int
    /// Empty if it is encrypted.
    fileprivate let content: Range<Int>
    fileprivate let end: Int
    fileprivate let isUnsynchronised: Bool
    fileprivate let isCompressed: Bool

    /// The largest content of a compressed frame, in bytes after it was inflated; the rest is left out.
    private static let longestInflated = 1_048_576

    /// The content of at most `limit` bytes, as they are stored; `nil` when it is empty or cannot be read.
    ///
    /// Valid until the window is used again.
    func bytes(atMost limit: Int = .max, _ window: inout ByteWindow) -> ArraySlice<UInt8>? {
        if isCompressed { return inflated(atMost: min(limit, Self.longestInflated), &window) }
        let range = content.lowerBound..<content.lowerBound + min(limit, content.count)
        guard !range.isEmpty, window.load(range.lowerBound, range.count) else { return nil }
        return isUnsynchronised ? resynchronised(window[range])[...] : window[range]
    }

    private func inflated(atMost limit: Int, _ window: inout ByteWindow) -> ArraySlice<UInt8>? {
        guard content.count <= Self.longestInflated, window.load(content.lowerBound, content.count) else { return nil }
        let stored = isUnsynchronised ? resynchronised(window[content]) : Array(window[content])
        let bytes = Inflate.bytes(stored, limit: limit)
        return bytes.isEmpty ? nil : bytes[...]
    }

    /// The name and the values of a user-defined text frame (`TXXX`); `nil` for other frames.
    func namedValues(
        atMost limit: Int = .max,
        _ window: inout ByteWindow
    ) -> (name: ArraySlice<UInt8>, values: ArraySlice<ArraySlice<UInt8>>)? {
        guard id == fourCC("TXXX") || id == fourCC("TXX"), let bytes = bytes(atMost: limit, &window) else { return nil }
        let values = ID3Text.values(bytes, &window.text)
        guard values.count > 1, let name = values.first else { return nil }
        return (name, values.dropFirst())
    }
}

extension ID3v2Header {
    /// A tag of this version with these frames.
    func tag(of frames: ArraySlice<UInt8>) -> [UInt8] {
        let size = (0..<4).map { UInt8(truncatingIfNeeded: frames.count >> (21 - 7 * $0) & 0x7f) }
        return Array("ID3".utf8) + [version, 0, 0] + size + frames
    }

    /// More frames than a valid tag has.
    private static let frameLimit = 16_384

    /// Calls `show` for each frame in order, with the window its content is in.
    ///
    /// - Parameter limit: In bytes, for a tag that is unsynchronised as a whole, and so must be read from its start.
    /// - Returns: Whether the whole tag could be read.
    func visit(
        _ window: inout ByteWindow,
        unsynchronisedLimit limit: Int = 4 * 1_048_576,
        _ show: (ID3v2Frame, inout ByteWindow) -> Void
    ) -> Bool {
        // A tag that extends beyond the file is damaged, but its available part is read.
        let body = self.body.lowerBound..<min(self.body.upperBound, window.size)
        guard isUnsynchronised, version < 4 else {
            visit(body, &window, show)
            return !window.isExhausted
        }
        guard body.count <= limit, window.load(body.lowerBound, body.count) else { return false }
        var plain = ByteWindow()
        let bytes = resynchronised(window[body])
        plain.begin(bytes, limit: window.limit)
        visit(0..<bytes.count, &plain, show)
        return true
    }

    private func visit(_ body: Range<Int>, _ window: inout ByteWindow, _ show: (ID3v2Frame, inout ByteWindow) -> Void) {
        var place = body.lowerBound
        if hasExtendedHeader {
            // 2.3 does not include the size itself.
            guard let size = version == 4 ? window.synchsafe(place) : window.bigEndian(place, 4).map({ $0 + 4 }),
                size <= body.count
            else { return }
            place += size
        }
        for _ in 0..<Self.frameLimit {
            guard let frame = frame(at: place, in: body, &window) else { return }
            place = frame.end
            show(frame, &window)
        }
    }

    private func frame(at place: Int, in body: Range<Int>, _ window: inout ByteWindow) -> ID3v2Frame? {
        let (idLength, headerLength) = version == 2 ? (3, 6) : (4, 10)
        guard place + headerLength <= body.upperBound, window.load(place, headerLength), window[place] != 0,
            let id = window.bigEndian(place, idLength), var size = window.bigEndian(place + idLength, idLength)
        else { return nil }
        let start = place + headerLength
        let flags = version == 2 ? 0 : window[place + 9]
        if version == 4, let safe = window.synchsafe(place + 4), safe != size {
            // iTunes wrote plain sizes into 2.4; they are detected if no frame follows at the synchsafe one.
            if isFrameOrEnd(start + safe, body, &window) { size = safe }
        }
        // An empty frame is against the standard, but those after it are read.
        guard size <= body.upperBound - start else { return nil }
        let end = start + size
        // A group number and the uncompressed length precede the content.
        var skipped = 0
        var (isEncrypted, isCompressed) = (false, false)
        if version == 4 {
            skipped = (flags & 0x40 != 0 ? 1 : 0) + (flags & 0x01 != 0 ? 4 : 0)
            (isEncrypted, isCompressed) = (flags & 0x04 != 0, flags & 0x08 != 0)
        } else if version == 3 {
            skipped = (flags & 0x80 != 0 ? 4 : 0) + (flags & 0x20 != 0 ? 1 : 0)
            (isEncrypted, isCompressed) = (flags & 0x40 != 0, flags & 0x80 != 0)
        }
        return ID3v2Frame(
            id: id,
            content: isEncrypted ? end..<end : min(end, start + skipped)..<end,
            end: end,
            isUnsynchronised: version == 4 && (flags & 0x02 != 0 || isUnsynchronised),
            isCompressed: isCompressed
        )
    }

    private func isFrameOrEnd(_ place: Int, _ body: Range<Int>, _ window: inout ByteWindow) -> Bool {
        guard place < body.upperBound else { return true }
        guard window.load(place, 1) else { return false }
        if window[place] == 0 { return true }
        guard place + 4 <= body.upperBound, window.load(place, 4) else { return false }
        return (place..<place + 4).allSatisfy {
            (0x30...0x39).contains(window[$0]) || (0x41...0x5a).contains(window[$0])
        }
    }
}
