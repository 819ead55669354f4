internal import Segments

/// The segments of one file, from its own index.
struct SegmentIndex: Sendable, Hashable {
    struct Entry: Sendable, Hashable {
        /// The timestamp of its start, in seconds.
        var time: Double
        var duration: Double
        var range: ByteRange
    }

    var entries: [Entry] = []
    /// The bytes before the first segment.
    var head: Int

    /// Parses the index of an MP4 file (`sidx`, ISO/IEC 14496-12, section 8.16.3).
    ///
    /// - Parameter place: The offset of the bytes in the file.
    init(_ bytes: [UInt8], at place: Int) throws(SegmentError) {
        var reader = BigEndianReader(bytes)
        let size = try Self.skipToIndex(&reader)
        let version = try reader.number(4) >> 24
        reader.skip(4)
        let timescale = Double(try reader.number(4))
        let (time, first) = try (reader.number(version == 0 ? 4 : 8), reader.number(version == 0 ? 4 : 8))
        reader.skip(2)
        let count = try reader.number(2)
        guard timescale > 0, time < ManifestLimits.number, first < ManifestLimits.number else { throw Self.damaged }
        var offset = place + size + first
        head = place
        var ticks = Double(time)
        for _ in 0..<count {
            // The highest bit marks another index, which the range starts with, followed by its segments.
            let length = try reader.number(4) & 0x7fff_ffff
            let duration = Double(try reader.number(4))
            reader.skip(4)
            let range = ByteRange(offset: offset, length: length)
            entries.append(Entry(time: ticks / timescale, duration: duration / timescale, range: range))
            offset += length
            ticks += duration
        }
        guard !entries.isEmpty else { throw Self.damaged }
    }

    /// Moves the reader to after the index box's name.
    ///
    /// - Returns: The end of the index, in its bytes.
    private static func skipToIndex(_ reader: inout BigEndianReader) throws(SegmentError) -> Int {
        while true {
            let start = reader.position
            let size = try reader.number(4)
            let name = try reader.number(4)
            guard size >= 8 else { throw damaged }
            if name == 0x7369_6478 { return start + size }
            reader.skip(size - 8)
        }
    }

    static var damaged: SegmentError { .badManifest("the index of its segments is damaged") }
}

/// Reads big-endian numbers.
struct BigEndianReader {
    private let bytes: [UInt8]
    private(set) var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func skip(_ count: Int) { position = min(position + max(count, 0), bytes.count) }

    /// - Parameter count: Up to 8 bytes; a number too large for `Int` is limited to the largest.
    mutating func number(_ count: Int) throws(SegmentError) -> Int {
        guard bytes.count - position >= count else { throw SegmentIndex.damaged }
        let value = bytes[position..<position + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        position += count
        return Int(clamping: value)
    }
}
