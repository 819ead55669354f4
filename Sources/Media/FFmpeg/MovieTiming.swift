internal import MediaHeaders

/// The samples of an MP4 file's audio track that are audible, without the encoder's padding.
///
/// FFmpeg's own edit-list handling rounds the end to movie ticks, often milliseconds, so the boxes are read here (ISO
/// 14496-12, sections 8.6.1.2 `stts`, 8.6.1.3 `ctts` and 8.6.6 `elst`; Apple's `iTunSMPB` comment).
struct MovieTiming: Equatable {
    /// The timestamp, in samples, of the first audible one; from 0 on, samples before it are decoded, but not audible.
    var startPadding: Int
    /// The number of audible samples; `nil` when unknown.
    var length: Int?
    /// Whether `length` is exact to the sample.
    var isExact: Bool

    /// Reads the track with FFmpeg's `AVStream.id`.
    ///
    /// - Parameter sampleRate: The decoder's, in which padding is counted.
    /// - Returns: `nil` when the file has no such track, or edits beyond trimming.
    static func read(_ file: any ByteAccess, trackID: Int, sampleRate: Int) -> MovieTiming? {
        guard let movie = movieBox(of: file) else { return nil }
        let boxes = BoxReader(bytes: movie)
        guard let movieScale = timescale(of: boxes.first("mvhd", in: 0..<movie.count), boxes) else { return nil }
        for track in boxes.all("trak", in: 0..<movie.count) {
            guard let header = boxes.first("tkhd", in: track) else { continue }
            let isLong = movie[header.lowerBound] == 1
            guard Int(movie.bigEndian(at: header.lowerBound + (isLong ? 20 : 12), count: 4)) == trackID else {
                continue
            }
            return timing(of: track, boxes, movieScale: movieScale, sampleRate: sampleRate)
        }
        return nil
    }

    private static func timing(
        of track: Range<Int>,
        _ boxes: BoxReader,
        movieScale: Int,
        sampleRate: Int
    ) -> MovieTiming? {
        guard let media = boxes.first("mdia", in: track),
            let scale = timescale(of: boxes.first("mdhd", in: media), boxes),
            let table = boxes.first("minf", in: media).flatMap({ boxes.first("stbl", in: $0) }),
            let times = boxes.first("stts", in: table)
        else { return nil }
        let editList = boxes.first("edts", in: track).flatMap { boxes.first("elst", in: $0) }
        let sounding = editList.map { edits(in: $0, boxes).filter { $0.mediaTime >= 0 } } ?? []
        guard sounding.count <= 1 else { return nil }
        func samples(_ ticks: Int, per scale: Int) -> Int {
            Int(sample: (Double(ticks) * Double(sampleRate) / Double(scale)).rounded())
        }
        let (total, regular, last) = totals(in: times, boxes)
        let smoothness = smoothness(of: boxes)
        let start = sounding.first.map { samples($0.mediaTime, per: scale) } ?? smoothness?.priming ?? 0
        // Without an edit list, old encoders' offset between decoding and presentation is no part of the sound.
        let offset = editList == nil ? boxes.first("ctts", in: table).map { firstOffset(in: $0, boxes) } ?? 0 : 0
        let shift = abs(offset) <= scale ? samples(offset, per: scale) : 0
        var timing = MovieTiming(startPadding: start + shift, length: nil, isExact: false)
        if let smoothness {
            timing.length = smoothness.length
            timing.isExact = true
        } else if total > 0, last < regular {
            timing.length = samples(total, per: scale) - start
            timing.isExact = true
        } else if let edit = sounding.first, edit.duration > 0 {
            let edited = samples(edit.duration, per: movieScale)
            let available = samples(total, per: scale) - start
            let isWhole = abs(available - edited) <= sampleRate / movieScale
            timing.length = isWhole ? available : edited
            timing.isExact = movieScale >= sampleRate || isWhole
        } else if total > 0 {
            timing.length = samples(total, per: scale) - start
        }
        timing.length = timing.length.map { max(0, $0) }
        return timing
    }

    private struct Edit {
        var duration: Int
        /// −1 for a pause.
        var mediaTime: Int
    }

    private static func edits(in box: Range<Int>, _ boxes: BoxReader) -> [Edit] {
        let isLong = boxes.bytes[box.lowerBound] == 1
        let count = Int(boxes.bytes.bigEndian(at: box.lowerBound + 4, count: 4))
        let size = isLong ? 20 : 12
        guard count <= (box.count - 8) / size else { return [] }
        return (0..<count).map { entry in
            let place = box.lowerBound + 8 + entry * size
            let duration = boxes.bytes.bigEndian(at: place, count: isLong ? 8 : 4)
            let time = boxes.bytes.bigEndian(at: place + (isLong ? 8 : 4), count: isLong ? 8 : 4)
            return Edit(
                duration: Int(clamping: duration),
                mediaTime: isLong ? Int(Int64(bitPattern: time)) : Int(Int32(truncatingIfNeeded: time))
            )
        }
    }

    /// The ticks from the decoding to the presentation of the first packet.
    private static func firstOffset(in box: Range<Int>, _ boxes: BoxReader) -> Int {
        guard box.count >= 16 else { return 0 }
        return Int(Int32(truncatingIfNeeded: boxes.bytes.bigEndian(at: box.lowerBound + 12, count: 4)))
    }

    /// The ticks of all packets, of a usual one, and of the last one.
    private static func totals(in box: Range<Int>, _ boxes: BoxReader) -> (total: Int, regular: Int, last: Int) {
        let count = Int(boxes.bytes.bigEndian(at: box.lowerBound + 4, count: 4))
        guard count > 0, count <= (box.count - 8) / 8 else { return (0, 0, 0) }
        var total = 0
        var last = 0
        for entry in 0..<count {
            let place = box.lowerBound + 8 + entry * 8
            let packets = Int(boxes.bytes.bigEndian(at: place, count: 4))
            last = Int(boxes.bytes.bigEndian(at: place + 4, count: 4))
            let (ticks, overflows) = packets.multipliedReportingOverflow(by: last)
            guard !overflows else { return (0, 0, 0) }
            total = total.adding(saturating: ticks)
        }
        return (total, Int(boxes.bytes.bigEndian(at: box.lowerBound + 12, count: 4)), last)
    }

    /// iTunes's tag: priming, padding and length, as hexadecimal words in a free-form tag.
    private static func smoothness(of boxes: BoxReader) -> (priming: Int, length: Int)? {
        let whole = 0..<boxes.bytes.count
        guard let user = boxes.first("udta", in: whole), let meta = boxes.first("meta", in: user), meta.count > 4,
            let list = boxes.first("ilst", in: meta.lowerBound + 4..<meta.upperBound)
        else { return nil }
        for item in boxes.all("----", in: list) {
            guard let name = boxes.first("name", in: item), name.count > 4,
                boxes.text(in: name.lowerBound + 4..<name.upperBound) == "iTunSMPB",
                let data = boxes.first("data", in: item), data.count > 8
            else { continue }
            let words = boxes.text(in: data.lowerBound + 8..<data.upperBound).split(separator: " ")
            guard words.count >= 4, let priming = Int(digits: words[1].utf8, radix: 16),
                let length = Int(digits: words[3].utf8, radix: 16),
                (1...1 << 53).contains(length), (0..<1 << 20).contains(priming)
            else { return nil }
            return (priming, length)
        }
        return nil
    }

    private static func timescale(of box: Range<Int>?, _ boxes: BoxReader) -> Int? {
        guard let box, !box.isEmpty else { return nil }
        let isLong = boxes.bytes[box.lowerBound] == 1
        let scale = Int(boxes.bytes.bigEndian(at: box.lowerBound + (isLong ? 20 : 12), count: 4))
        return scale > 0 ? scale : nil
    }

    /// The contents of `moov`.
    private static func movieBox(of file: any ByteAccess) -> [UInt8]? {
        var offset = 0
        while offset + 8 <= file.size {
            let head = file.bytes(at: offset, count: 16)
            var size = Int(head.bigEndian(at: 0, count: 4))
            var headSize = 8
            if size == 1 {
                size = Int(clamping: head.bigEndian(at: 8, count: 8))
                headSize = 16
            } else if size == 0 {
                size = file.size - offset
            }
            guard size >= headSize else { return nil }
            if head.bigEndian(at: 4, count: 4) == BoxReader.code("moov") {
                guard size <= 64 << 20 else { return nil }
                return file.bytes(at: offset + headSize, count: size - headSize)
            }
            guard size <= file.size - offset else { return nil }
            offset += size
        }
        return nil
    }
}

/// Finds boxes by their four-letter names in a range of bytes.
private struct BoxReader {
    let bytes: [UInt8]

    static func code(_ name: StaticString) -> UInt64 {
        name.withUTF8Buffer { letters in unsafe letters.reduce(0) { $0 << 8 | UInt64($1) } }
    }

    /// The contents of the first box with that name.
    func first(_ name: StaticString, in range: Range<Int>) -> Range<Int>? { find(name, in: range, limit: 1).first }

    /// The contents of all boxes with that name.
    func all(_ name: StaticString, in range: Range<Int>) -> [Range<Int>] { find(name, in: range, limit: .max) }

    func text(in range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }

    private func find(_ name: StaticString, in range: Range<Int>, limit: Int) -> [Range<Int>] {
        let code = Self.code(name)
        var found: [Range<Int>] = []
        var offset = range.lowerBound
        while offset + 8 <= range.upperBound, found.count < limit {
            var size = Int(bytes.bigEndian(at: offset, count: 4))
            if size == 0 { size = range.upperBound - offset }
            guard size >= 8, size <= range.upperBound - offset else { break }
            if bytes.bigEndian(at: offset + 4, count: 4) == code, size > 8 { found.append(offset + 8..<offset + size) }
            offset += size
        }
        return found
    }
}
