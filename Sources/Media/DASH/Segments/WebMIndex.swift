internal import Segments

extension SegmentIndex {
    /// Whether an index is a WebM one (`Cues`).
    static func isWebM(_ bytes: [UInt8]) -> Bool { bytes.starts(with: [0x1c, 0x53, 0xbb, 0x6b]) }

    /// Parses the index of a WebM file: each cue's cluster lasts until the next one.
    ///
    /// - Parameters:
    ///   - cues: The index.
    ///   - place: The offset of the index in the file.
    ///   - start: The file's first bytes, which define what the index's offsets refer to.
    init(webM cues: [UInt8], at place: Int, start: [UInt8]) throws(SegmentError) {
        let file = try WebMHead(start)
        var reader = EBMLReader(cues)
        let list = try reader.element()
        guard list.id == 0x1c53_bb6b else { throw Self.damaged }
        var points: [(time: Double, offset: Int)] = []
        while let point = try reader.next(before: min(list.end, cues.count)) {
            guard point.id == 0xbb else {
                reader.position = point.end
                continue
            }
            let (time, position) = try Self.cue(&reader, point.end)
            guard let time, let position else { continue }
            points.append((Double(time) * file.tick, file.content + position))
        }
        points.sort { $0.offset < $1.offset }
        // After the last cluster comes the index, or nothing.
        let end = place > points.last?.offset ?? 0 ? place : file.end
        guard let end, !points.isEmpty else { throw Self.damaged }
        head = min(place, points[0].offset)
        for (index, point) in points.enumerated() {
            let isLast = index + 1 == points.count
            let next = isLast ? end : points[index + 1].offset
            guard next > point.offset else { continue }
            entries.append(
                Entry(
                    time: point.time,
                    // The length of the last one follows from the period's end.
                    duration: isLast ? 0 : max(points[index + 1].time - point.time, 0),
                    range: ByteRange(offset: point.offset, length: next - point.offset)
                )
            )
        }
    }

    private static func cue(_ reader: inout EBMLReader, _ end: Int) throws(SegmentError) -> (time: Int?, position: Int?)
    {
        var (time, position): (Int?, Int?)
        while let element = try reader.next(before: end) {
            switch element.id {
            case 0xb3: time = try reader.number(until: element.end)
            // Descend into the track positions.
            case 0xb7: continue
            case 0xf1 where position == nil: position = try reader.number(until: element.end)
            default: reader.position = element.end
            }
        }
        return (time, position)
    }
}

/// The head of a WebM file.
private struct WebMHead {
    /// The start of the contents, which positions are relative to.
    var content = 0
    /// The end of the contents, if specified.
    var end: Int?
    /// Seconds of a tick.
    var tick = 0.001

    init(_ bytes: [UInt8]) throws(SegmentError) {
        var reader = EBMLReader(bytes)
        while let element = try? reader.element() {
            switch element.id {
            case 0x1853_8067:
                content = reader.position
                end = element.isEndless ? nil : element.end
            // Descend into the segment information.
            case 0x1549_a966: continue
            case 0x2ad7b1:
                let scale = try reader.number(until: element.end)
                if (1...1_000_000_000).contains(scale) { tick = Double(scale) / 1e9 }
            default: reader.position = element.end
            }
        }
        guard content > 0 else { throw SegmentIndex.damaged }
    }
}

/// Reads EBML elements (RFC 8794).
private struct EBMLReader {
    struct Element {
        var id: Int
        /// Its end, which may be beyond the bytes.
        var end: Int
        var isEndless: Bool
    }

    private let bytes: [UInt8]
    var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Reads the element at the position; its contents follow.
    mutating func element() throws(SegmentError) -> Element {
        let (id, _) = try variable(keepsMark: true)
        let (size, isUnknown) = try variable(keepsMark: false)
        guard size <= ManifestLimits.number else { throw SegmentIndex.damaged }
        return Element(id: id, end: position + size, isEndless: isUnknown)
    }

    /// Reads the element at the position, if that is before `end`.
    mutating func next(before end: Int) throws(SegmentError) -> Element? { position < end ? try element() : nil }

    mutating func number(until end: Int) throws(SegmentError) -> Int {
        guard position <= end, end - position <= 7, end <= bytes.count else { throw SegmentIndex.damaged }
        let value = bytes[position..<end].reduce(0) { $0 << 8 | Int($1) }
        position = end
        return value
    }

    /// Reads a number whose first bits give its length.
    private mutating func variable(keepsMark: Bool) throws(SegmentError) -> (value: Int, isUnknown: Bool) {
        guard bytes.indices.contains(position), bytes[position] != 0 else { throw SegmentIndex.damaged }
        let first = bytes[position]
        let count = first.leadingZeroBitCount + 1
        guard bytes.count - position >= count else { throw SegmentIndex.damaged }
        let mask = keepsMark ? 0xff : UInt8(truncatingIfNeeded: 0xff >> count)
        var value = Int(first & mask)
        for byte in bytes[(position + 1)..<(position + count)] { value = value << 8 | Int(byte) }
        position += count
        return (value, !keepsMark && value == 1 << (7 * count) - 1)
    }
}
