private import Glibc

/// Parses the lines of a song in the protocol's form, without creating strings.
///
/// An index stores songs as their lines, so that a listing copies bytes.
package enum SongLines {
    /// Calls `body` for each tag, in order.
    package static func forEachTag(
        _ bytes: UnsafeRawBufferPointer,
        _ body: (TagType, _ value: Slice<UnsafeRawBufferPointer>) -> Void
    ) {
        var place = 0
        while place < bytes.count {
            let line = unsafe LineEnds(bytes, from: place)
            if let tag = unsafe TagType(lineName: bytes[place..<line.nameEnd]) {
                unsafe body(tag, bytes[min(line.nameEnd + 2, line.end)..<line.end])
            }
            place = line.next
        }
    }

    /// Appends a song's lines to a reply, with the tags of a mask.
    package static func append(_ bytes: UnsafeRawBufferPointer, to target: inout [UInt8], tags mask: TagMask) {
        if mask == .all { return unsafe target.append(contentsOf: bytes) }
        let hidden = TagMask.all.subtracting(mask)
        if unsafe !TagType.mayBe(in: hidden, bytes) { return unsafe target.append(contentsOf: bytes) }
        // Usually all but a few tags are wanted: the lines between unwanted ones are copied in one piece.
        var (start, place) = (0, 0)
        while place < bytes.count {
            let next = unsafe (bytes[place...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count - 1) + 1
            let end = unsafe bytes[place..<next].firstIndex(of: UInt8(ascii: ":")) ?? next
            if unsafe TagType.mayBe(in: hidden, lineName: bytes[place..<end]),
                let tag = unsafe TagType(lineName: bytes[place..<end]), hidden.contains(tag)
            {
                unsafe target.append(contentsOf: bytes[start..<place])
                start = next
            }
            place = next
        }
        unsafe target.append(contentsOf: bytes[start...])
    }
}

/// The ends of a line's name and of the line.
struct LineEnds {
    /// Without the colon.
    let nameEnd: Int
    /// Without the line feed.
    let end: Int
    let next: Int

    init(_ bytes: UnsafeRawBufferPointer, from start: Int) {
        end = unsafe Self.place(of: UInt8(ascii: "\n"), in: bytes[start...])
        nameEnd = unsafe Self.place(of: UInt8(ascii: ":"), in: bytes[start..<end])
        next = min(end + 1, bytes.count)
    }

    /// The end of the bytes when there is none.
    private static func place(of byte: UInt8, in bytes: Slice<UnsafeRawBufferPointer>) -> Int {
        guard let start = unsafe UnsafeRawBufferPointer(rebasing: bytes).baseAddress,
            let found = unsafe memchr(start, CInt(byte), bytes.count)
        else { return unsafe bytes.endIndex }
        return unsafe bytes.startIndex + (UnsafeRawPointer(found) - start)
    }
}

extension TagType {
    /// A tag by its exact name in the protocol.
    init?(lineName: Slice<UnsafeRawBufferPointer>) {
        guard unsafe lineName.count >= 4 else { return nil }
        let (first, last) = unsafe (lineName[lineName.startIndex], lineName[lineName.endIndex - 1])
        for candidate in unsafe Self.bySlot[Self.slot(lineName.count, first, last)]
        where unsafe candidate.isNamed(lineName) {
            self = candidate.tag
            return
        }
        return nil
    }

    private static func slot(_ count: Int, _ first: UInt8, _ last: UInt8) -> Int {
        (count &* 37 &+ Int(first) &* 7 &+ Int(last)) & 255
    }

    /// Whether a line's name may be that of a tag in a mask, by its first bytes.
    fileprivate static func mayBe(in mask: TagMask, lineName: Slice<UnsafeRawBufferPointer>) -> Bool {
        guard unsafe lineName.count >= 4 else { return false }
        let slot = unsafe slot(lineName.count, lineName[lineName.startIndex], lineName[lineName.endIndex - 1])
        return !maskBySlot[slot].isDisjoint(with: mask)
    }

    /// Whether there is a line of a tag in a mask that has few tags.
    fileprivate static func mayBe(in mask: TagMask, _ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let start = bytes.baseAddress, mask.rawValue.nonzeroBitCount <= 2 else { return true }
        for tag in allCases where mask.contains(tag) {
            let line = lineStarts[Int(tag.rawValue)]
            var place = 0
            while let found = unsafe memchr(start + place, 0x0a, bytes.count - place) {
                place = unsafe UnsafeRawPointer(found) - start + 1
                guard bytes.count - place >= line.count else { break }
                if unsafe bytes[place] == line[0], unsafe memcmp(start + place, line, line.count) == 0 { return true }
            }
        }
        return false
    }

    /// The prefixes of tags' lines.
    private static let lineStarts: [[UInt8]] = {
        var starts = [[UInt8]](repeating: [], count: Int(allCases.map(\.rawValue).max() ?? 0) + 1)
        for tag in allCases { starts[Int(tag.rawValue)] = Array("\(tag.name): ".utf8) }
        return starts
    }()

    private static let maskBySlot = bySlot.map { TagMask($0.map(\.tag)) }

    private struct Candidate {
        let tag: TagType
        let name: [UInt8]

        func isNamed(_ other: Slice<UnsafeRawBufferPointer>) -> Bool {
            guard unsafe name.count == other.count else { return false }
            let other = unsafe UnsafeRawBufferPointer(rebasing: other)
            return unsafe name.withUnsafeBytes { name in
                guard let name = name.baseAddress, let start = other.baseAddress else { return true }
                return unsafe memcmp(name, start, other.count) == 0
            }
        }
    }

    private static let bySlot: [[Candidate]] = {
        var slots = [[Candidate]](repeating: [], count: 256)
        for tag in allCases {
            let name = Array(tag.name.utf8)
            guard let first = name.first, let last = name.last else { continue }
            slots[slot(name.count, first, last)].append(Candidate(tag: tag, name: name))
        }
        return slots
    }()
}
