/// Where the samples of a track are (ISO 14496-12, sections 8.7.3 to 8.7.5).
struct SampleTable {
    private let isSound: Bool
    private var descriptions, times, runs, offsets, longOffsets: Range<Int>?
    fileprivate private(set) var sizes, compactSizes: Range<Int>?

    init(isSound: Bool) { self.isSound = isSound }

    /// Notes one of the boxes of the table.
    mutating func note(_ name: Int, _ content: Range<Int>) {
        switch name {
        case fourCC("stsd"): descriptions = content
        case fourCC("stts"): times = content
        case fourCC("stsz"): sizes = content
        case fourCC("stz2"): compactSizes = content
        case fourCC("stsc"): runs = content
        case fourCC("stco"): offsets = content
        case fourCC("co64"): longOffsets = content
        default: break
        }
    }

    /// Appends the parts of the file that have samples, those beside each other as one.
    ///
    /// - Parameter limit: More of them than all tracks of a valid file have.
    func readChunks(
        into chunks: inout [Range<Int>],
        limit: Int,
        _ window: inout ByteWindow
    ) throws(MediaCopyError) {
        guard let runs, let places = offsets ?? longOffsets else { throw .isDamaged }
        let width = offsets == nil ? 8 : 4
        let count = try Self.count(places, at: 4, bitsOfEntry: 8 * width, &window)
        let runCount = try Self.count(runs, at: 4, bitsOfEntry: 96, &window)
        guard count > 0 else { return }
        var sizes = try SampleSizes(self, &window)
        var run = 0
        var (perChunk, next) = (0, 1)
        for chunk in 1...count {
            if chunk == next {
                let place = runs.lowerBound + 8 + 12 * run
                guard run < runCount, let samples = window.bigEndian(place + 4, 4) else { throw .isDamaged }
                run += 1
                perChunk = samples
                next = run < runCount ? window.bigEndian(place + 12, 4) ?? 0 : Int.max
                guard next > chunk else { throw .isDamaged }
            }
            guard let start = window.bigEndian(places.lowerBound + 8 + width * (chunk - 1), width) else {
                throw .isDamaged
            }
            let size = sizes.next(perChunk, &window)
            // Of a file that is cut off, the last samples are not there.
            let end = min(window.size, start.adding(saturating: size))
            guard start < end else { continue }
            if let last = chunks.last, last.upperBound == start {
                chunks[chunks.endIndex - 1] = last.lowerBound..<end
            } else {
                guard chunks.count < limit else { throw .isTooLong }
                chunks.append(start..<end)
            }
        }
    }

    /// The number of entries in a table, all of which it has.
    fileprivate static func count(
        _ table: Range<Int>,
        at offset: Int,
        bitsOfEntry bits: Int,
        _ window: inout ByteWindow
    ) throws(MediaCopyError) -> Int {
        guard table.count >= offset + 4, let count = window.bigEndian(table.lowerBound + offset, 4),
            count <= (table.count - offset - 4) * 8 / bits
        else { throw .isDamaged }
        return count
    }

    /// Of uncompressed sound, which is counted in frames whatever the sizes are.
    fileprivate func soundFormat(_ window: inout ByteWindow) -> (samples: Int, bytes: Int)? {
        // Each lasts one unit of time (section 8.6.1.2).
        guard isSound, let times, let descriptions, window.bigEndian(times.lowerBound + 4, 4) == 1,
            window.bigEndian(times.lowerBound + 12, 4) == 1
        else { return nil }
        // Behind the counts: the first description, with its size and name.
        let entry = descriptions.lowerBound + 8
        guard let codec = window.bigEndian(entry + 4, 4), let version = window.bigEndian(entry + 16, 2),
            let channels = window.bigEndian(entry + 24, 2), let bits = window.bigEndian(entry + 26, 2)
        else { return nil }
        // Of QuickTime's second version: samples in a packet of a channel, and the bytes of all channels' packets.
        if version == 1, let samples = window.bigEndian(entry + 36, 4), let bytes = window.bigEndian(entry + 44, 4),
            samples > 1, bytes > 0
        {
            return (samples, bytes)
        }
        guard version < 2, channels > 0, let known = Self.plainCodecs[codec], known ?? bits >= 8 else { return nil }
        return (1, channels * ((known ?? bits) / 8))
    }

    /// Those of uncompressed sound, with the bits of a sample; `nil` where the description tells them.
    private static let plainCodecs: [Int: Int?] = [
        fourCC("raw "): nil, fourCC("NONE"): nil, fourCC("twos"): nil, fourCC("sowt"): nil, fourCC("in24"): 24,
        fourCC("in32"): 32, fourCC("fl32"): 32, fourCC("fl64"): 64,
    ]
}

/// The sizes of a track's samples, one after the other.
private struct SampleSizes {
    private enum Form {
        case constant(Int)
        /// Uncompressed sound: so many samples have so many bytes.
        case sound(samples: Int, bytes: Int)
        /// In so many bits each.
        case table(start: Int, bits: Int, count: Int)
    }

    private let form: Form
    private var index = 0

    init(_ table: SampleTable, _ window: inout ByteWindow) throws(MediaCopyError) {
        if let sound = table.soundFormat(&window) {
            form = .sound(samples: sound.samples, bytes: sound.bytes)
        } else if let box = table.sizes {
            guard let size = window.bigEndian(box.lowerBound + 4, 4) else { throw .isDamaged }
            form =
                size > 0
                ? .constant(size)
                : .table(
                    start: box.lowerBound + 12,
                    bits: 32,
                    count: try SampleTable.count(box, at: 8, bitsOfEntry: 32, &window)
                )
        } else if let box = table.compactSizes {
            guard let bits = window.bigEndian(box.lowerBound + 7, 1), [4, 8, 16].contains(bits) else {
                throw .isDamaged
            }
            let count = try SampleTable.count(box, at: 8, bitsOfEntry: bits, &window)
            form = .table(start: box.lowerBound + 12, bits: bits, count: count)
        } else {
            throw .isDamaged
        }
    }

    /// The bytes of the next samples together.
    mutating func next(_ count: Int, _ window: inout ByteWindow) -> Int {
        switch form {
        case .constant(let size): return count.multiplied(saturatingBy: size)
        case .sound(let samples, let bytes): return ((count + samples - 1) / samples).multiplied(saturatingBy: bytes)
        case .table(let start, let bits, let all):
            var sum = 0
            let end = min(all, index + count)
            while index < end {
                switch bits {
                case 4:
                    let pair = window.bigEndian(start + index / 2, 1) ?? 0
                    sum += index % 2 == 0 ? pair >> 4 : pair & 15
                default: sum += window.bigEndian(start + index * (bits / 8), bits / 8) ?? 0
                }
                index += 1
            }
            return sum
        }
    }
}
