/// The format of a track of AAC or ALAC.
struct MP4Track {
    let codec: String
    let rate: Int
    let channels: Int
    /// In MPD's form.
    let sampleBits: String

    init?(_ track: Range<Int>, _ window: inout ByteWindow) {
        guard let media = MP4Boxes(track).first("mdia", &window), let info = MP4Boxes(media).first("minf", &window),
            let table = MP4Boxes(info).first("stbl", &window), let entry = MP4Boxes(table).first("stsd", &window)
        else { return nil }
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
