/// A track of AAC or ALAC: its format and its audible part.
struct MP4Track {
    let codec: String
    let rate: Int
    let channels: Int
    /// In MPD's form.
    let sampleBits: String
    private let scale: Int
    private let movieScale: Int
    private let times: Range<Int>
    private let edits: Range<Int>?

    init?(_ track: Range<Int>, movie: MP4Boxes, _ window: inout ByteWindow) {
        guard let media = MP4Boxes(track).first("mdia", &window), let info = MP4Boxes(media).first("minf", &window),
            let table = MP4Boxes(info).first("stbl", &window),
            let scale = Self.scale(MP4Boxes(media).first("mdhd", &window), &window),
            let movieScale = Self.scale(movie.first("mvhd", &window), &window),
            let times = MP4Boxes(table).first("stts", &window),
            let entry = MP4Boxes(table).first("stsd", &window)
        else { return nil }
        (self.scale, self.movieScale, self.times) = (scale, movieScale, times)
        edits = MP4Boxes(track).first("edts", &window).flatMap { MP4Boxes($0).first("elst", &window) }
        // One description of one codec, in the first version of its box.
        guard window.bigEndian(entry.lowerBound + 4, 4) == 1, let kind = window.bigEndian(entry.lowerBound + 12, 4),
            window.bigEndian(entry.lowerBound + 24, 2) == 0, let count = window.bigEndian(entry.lowerBound + 32, 2),
            entry.count > 44
        else { return nil }
        let details = MP4Boxes(entry.lowerBound + 44..<entry.upperBound)
        if kind == fourCC("mp4a"), let box = details.first("esds", &window),
            let config = AACConfiguration(esds: box, &window)
        {
            (codec, rate, channels, sampleBits) = ("aac", config.rate, config.channels, "f")
        } else if kind == fourCC("alac"), let box = details.first("alac", &window), box.count >= 28,
            window.load(box.lowerBound, 28), let rate = window.bigEndian(box.lowerBound + 24, 4)
        {
            // After version and flags: frame length (4), version, bits, three parameters, channels.
            let bits = Int(window[box.lowerBound + 9])
            codec = "alac"
            self.rate = rate
            channels = Int(window[box.lowerBound + 13])
            sampleBits = bits <= 16 ? "16" : "32"
            guard channels == count, bits > 0 else { return nil }
        } else {
            return nil
        }
        guard (1000...768_000).contains(rate), channels > 0 else { return nil }
    }

    private static func scale(_ box: Range<Int>?, _ window: inout ByteWindow) -> Int? {
        guard let box, window.load(box.lowerBound, 1) else { return nil }
        let isLong = window[box.lowerBound] == 1
        guard let scale = window.bigEndian(box.lowerBound + (isLong ? 20 : 12), 4), scale > 0 else { return nil }
        return scale
    }

    /// The duration of the sound, and whether that is exact to the sample.
    func duration(_ smoothness: MP4Smoothness?, _ window: inout ByteWindow) -> (seconds: Double, isExact: Bool)? {
        guard let edit = edit(&window), let totals = totals(&window), totals.total > 0 else { return nil }
        if let smoothness { return (Double(smoothness.length) / Double(rate), true) }
        func samples(_ ticks: Int, per scale: Int) -> Int {
            Int(sample: (Double(ticks) * Double(rate) / Double(scale)).rounded())
        }
        let start = samples(edit.start, per: scale)
        let available = samples(totals.total, per: scale) - start
        var (length, isExact) = (available, totals.last < totals.regular)
        if !isExact, edit.duration > 0 {
            let edited = samples(edit.duration, per: movieScale)
            let isWhole = abs(available - edited) <= rate / movieScale
            length = isWhole ? available : edited
            isExact = movieScale >= rate || isWhole
        }
        return length >= 0 ? (Double(length) / Double(rate), isExact) : nil
    }

    /// The part of the track in the edit list, in the track's and the movie's units; `nil` when that is not one piece.
    private func edit(_ window: inout ByteWindow) -> (start: Int, duration: Int)? {
        guard let edits else { return (0, 0) }
        guard window.load(edits.lowerBound, 8), let count = window.bigEndian(edits.lowerBound + 4, 4) else {
            return nil
        }
        let isLong = window[edits.lowerBound] == 1
        let size = isLong ? 20 : 12
        guard count <= 16, count * size <= edits.count - 8 else { return nil }
        var found: (start: Int, duration: Int)?
        for entry in 0..<count {
            let place = edits.lowerBound + 8 + entry * size
            guard let duration = window.bigEndian(place, isLong ? 8 : 4),
                let time = window.bigEndian(place + (isLong ? 8 : 4), 4)
            else { return nil }
            // −1 is a pause. No more than 32 bits is common.
            if time == 0xffff_ffff { continue }
            let start = isLong ? window.bigEndian(place + 8, 8) : time
            guard let start, start < 1 << 40, duration < 1 << 40, found == nil else { return nil }
            found = (start, duration)
        }
        return found ?? (0, 0)
    }

    /// The ticks of all packets, of a usual one, and of the last one.
    private func totals(_ window: inout ByteWindow) -> (total: Int, regular: Int, last: Int)? {
        guard let count = window.bigEndian(times.lowerBound + 4, 4), (1...4096).contains(count),
            count * 8 <= times.count - 8
        else { return nil }
        var (total, regular, last) = (0, 0, 0)
        for entry in 0..<count {
            let place = times.lowerBound + 8 + entry * 8
            guard let packets = window.bigEndian(place, 4), let ticks = window.bigEndian(place + 4, 4) else {
                return nil
            }
            if entry == 0 { regular = ticks }
            last = ticks
            let (part, overflows) = packets.multipliedReportingOverflow(by: ticks)
            guard !overflows, part < 1 << 50 else { return nil }
            total += part
        }
        return total < 1 << 50 ? (total, regular, last) : nil
    }
}

/// Plain AAC's configuration (ISO 14496-3, section 1.6.2.1), in MP4's descriptors (ISO 14496-1, section 7.2.6).
private struct AACConfiguration {
    let rate: Int
    let channels: Int

    /// `nil` if the decoder might output another rate or other channels.
    init?(esds box: Range<Int>, _ window: inout ByteWindow) {
        guard box.count < 1024, window.load(box.lowerBound, box.count) else { return nil }
        let bytes = Array(window[box])
        // Version and flags; the elementary stream's descriptor, its number and flags.
        var place = 4
        guard Self.enter(3, bytes, &place) else { return nil }
        guard place + 3 <= bytes.count, bytes[place + 2] & 0xe0 == 0 else { return nil }
        place += 3
        guard Self.enter(4, bytes, &place), place < bytes.count, bytes[place] == 0x40 else { return nil }
        place += 13
        guard Self.enter(5, bytes, &place), place + 2 <= bytes.count else { return nil }
        let word = Int(bytes[place]) << 8 | Int(bytes[place + 1])
        let (object, frequency, layout) = (word >> 11, word >> 7 & 15, word >> 3 & 15)
        let rates = [96_000, 88_200, 64_000, 48_000, 44_100, 32_000]
        // At lower rates there may be spectral band replication that only the stream signals.
        guard object == 2, rates.indices.contains(frequency), (1...7).contains(layout) else { return nil }
        // The next bytes may signal the same in the newer way.
        if place + 4 < bytes.count, bytes[place + 2] == 0x56, bytes[place + 3] == 0xe5, bytes[place + 4] & 0x80 != 0 {
            return nil
        }
        rate = rates[frequency]
        channels = layout == 7 ? 8 : layout
    }

    /// Moves past a descriptor's tag and length.
    private static func enter(_ tag: UInt8, _ bytes: [UInt8], _ place: inout Int) -> Bool {
        guard place < bytes.count, bytes[place] == tag else { return false }
        place += 1
        for _ in 0..<4 {
            guard place < bytes.count else { return false }
            place += 1
            if bytes[place - 1] & 0x80 == 0 { return true }
        }
        return false
    }
}
