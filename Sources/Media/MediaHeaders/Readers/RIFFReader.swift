internal import Charsets
internal import Songs

/// WAV with plain samples, and AIFF (EA IFF 85; Microsoft's RIFF; Apple's AIFF-C).
extension HeaderReader {
    /// More chunks than a valid file has.
    private static let chunkLimit = 4096

    mutating func readWave(into file: inout ScannedFile) -> Bool {
        guard window.has("WAVE", at: 8) else { return false }
        var format: WaveFormat?
        var long = window.has("RIFF", at: 0) ? nil : 0 as Int?
        var place = 12
        for _ in 0..<Self.chunkLimit {
            guard let name = window.bigEndian(place, 4), var size = window.littleEndian(place + 4, 4) else { break }
            let start = place + 8
            switch name {
            case fourCC("ds64") where long != nil: long = window.littleEndian(start + 8, 8) ?? 0
            case fourCC("fmt "):
                guard let found = WaveFormat(at: start, size, &window) else { return false }
                format = found
            case fourCC("data"):
                guard let format, let data = WaveData(at: start, stated: size, long: long, &window) else {
                    return false
                }
                // Identities stay what they were when the header was believed.
                let isPossible = size > 0 && size <= window.size - start && long == nil
                use(format, data.range, identifiedBy: isPossible ? start..<start + size : data.range, into: &file)
                size = data.range.count
            case fourCC("LIST") where size >= 4 && window.has("INFO", at: start):
                readInfo(start + 4..<min(window.size, start + size), into: &file)
            case fourCC("id3 "), fourCC("ID3 "):
                guard let header = ID3v2Header(at: start, &window) else { break }
                file.tags.removeAll()
                guard readID3v2(header, into: &file) else { return false }
            default: break
            }
            guard size <= window.size - start else { break }
            place = start + size + size % 2
        }
        return file.duration != nil
    }

    /// - Parameter payload: The bytes that make up the identity; `nil` for the data.
    private mutating func use(
        _ format: WaveFormat,
        _ data: Range<Int>,
        identifiedBy payload: Range<Int>? = nil,
        into file: inout ScannedFile
    ) {
        file.codec = format.codec
        file.format = format.text
        file.duration = Double(data.count / format.frameSize) / Double(format.rate)
        file.bitRate = format.rate * format.frameSize * 8
        var id = PortableID("samples")
        for number in [format.rate, format.channels, format.bits, format.isFloat ? 1 : 0] { id.combine(number) }
        if id.combine(payload: payload ?? data, &window) { file.portableID = id.text }
    }

    private mutating func readInfo(_ range: Range<Int>, into file: inout ScannedFile) {
        let names: [Int: TagType] = [
            fourCC("IART"): .artist, fourCC("INAM"): .title, fourCC("IPRD"): .album, fourCC("ICMT"): .comment,
            fourCC("ICRD"): .date, fourCC("IGNR"): .genre, fourCC("ITRK"): .track, fourCC("IPRT"): .track,
        ]
        guard file.tags.isEmpty else { return }
        var place = range.lowerBound
        for _ in 0..<Self.chunkLimit {
            guard place + 8 <= range.upperBound, let name = window.bigEndian(place, 4),
                let size = window.littleEndian(place + 4, 4), size <= range.upperBound - place - 8
            else { return }
            let count = min(size, 8 * TagCollector.valueLimit)
            if let tag = names[name], window.load(place + 8, count) {
                tags.add(tag, window.text.utf8(window[place + 8..<place + 8 + count].prefix { $0 != 0 }), to: &file)
            }
            place += 8 + size + size % 2
        }
    }

    mutating func readAIFF(into file: inout ScannedFile) -> Bool {
        let isCompressed = window.has("AIFC", at: 8)
        guard isCompressed || window.has("AIFF", at: 8) else { return false }
        var format: WaveFormat?
        var hasSound = false
        var place = 12
        for _ in 0..<Self.chunkLimit {
            guard let name = window.bigEndian(place, 4), let size = window.bigEndian(place + 4, 4) else { break }
            let start = place + 8
            switch name {
            case fourCC("COMM"):
                guard let found = WaveFormat(aiffAt: start, isCompressed: isCompressed, &window) else { return false }
                format = found
            case fourCC("SSND"):
                guard let format, size > 8, size <= window.size - start else { return false }
                use(format, start + 8..<start + size, into: &file)
                hasSound = true
            case fourCC("ID3 "):
                guard let header = ID3v2Header(at: start, &window) else { break }
                file.tags.removeAll()
                guard readID3v2(header, into: &file) else { return false }
            case fourCC("NAME") where file.tags.isEmpty:
                let count = min(size, TagCollector.valueLimit)
                guard window.load(start, count) else { break }
                tags.add(.title, window.text.utf8(window[start..<start + count].prefix { $0 != 0 }), to: &file)
            default: break
            }
            guard size <= window.size - start else { break }
            place = start + size + size % 2
        }
        return hasSound
    }
}

/// The format of plain samples.
struct WaveFormat {
    let rate: Int
    let channels: Int
    let bits: Int
    let isFloat: Bool
    let codec: String

    /// Bytes in one frame of all channels.
    var frameSize: Int { channels * ((bits + 7) / 8) }

    /// In MPD's form.
    var text: String { "\(rate):\(isFloat ? "f" : bits <= 16 ? "16" : "32"):\(channels)" }

    /// A `fmt ` chunk; `nil` unless it describes plain samples.
    init?(at place: Int, _ size: Int, _ window: inout ByteWindow) {
        guard size >= 16, window.load(place, min(size, 40)), var tag = window.littleEndian(place, 2),
            let channels = window.littleEndian(place + 2, 2), let rate = window.littleEndian(place + 4, 4),
            let frameSize = window.littleEndian(place + 12, 2), let bits = window.littleEndian(place + 14, 2)
        else { return nil }
        // WAVE_FORMAT_EXTENSIBLE has the format in a separate identifier.
        if tag == 0xfffe, size >= 40, let inner = window.littleEndian(place + 24, 2) { tag = inner }
        guard tag == 1 || tag == 3, [8, 16, 24, 32, 64].contains(bits), (1...64).contains(channels),
            (1000...768_000).contains(rate), frameSize == channels * bits / 8, tag == 3 || bits < 64,
            tag == 1 || bits >= 32
        else { return nil }
        (self.rate, self.channels, self.bits) = (rate, channels, bits)
        isFloat = tag == 3
        codec = isFloat ? "pcm_f\(bits)le" : bits == 8 ? "pcm_u8" : "pcm_s\(bits)le"
    }

    /// A `COMM` chunk; `nil` unless it describes plain samples.
    init?(aiffAt place: Int, isCompressed: Bool, _ window: inout ByteWindow) {
        guard let channels = window.bigEndian(place, 2), let bits = window.bigEndian(place + 6, 2),
            let exponent = window.bigEndian(place + 8, 2), let mantissa = window.bigEndian(place + 10, 4),
            let kind = isCompressed ? window.bigEndian(place + 18, 4) : fourCC("NONE"),
            [8, 16, 24, 32].contains(bits), (1...64).contains(channels), (0x3fff..<0x3fff + 32).contains(exponent)
        else { return nil }
        // An extended float (80 bits) whose fraction no sample rate needs.
        rate = mantissa >> (31 - (exponent - 0x3fff))
        guard (1000...768_000).contains(rate) else { return nil }
        (self.channels, self.bits) = (channels, bits)
        isFloat = false
        switch kind {
        case fourCC("NONE"), fourCC("twos"): codec = bits == 8 ? "pcm_s8" : "pcm_s\(bits)be"
        case fourCC("sowt") where bits == 16: codec = "pcm_s16le"
        default: return nil
        }
    }
}
