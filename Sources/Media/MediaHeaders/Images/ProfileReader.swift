internal import PictureValues

/// Reads which colours an embedded profile describes (ICC.1:2022).
struct ProfileReader {
    private let range: Range<Int>
    /// The place of each tag.
    private let tags: [Int: Range<Int>]

    /// More tags than profiles have.
    private static let limit = 128
    private static let headerLength = 132

    static func colourSpace(_ range: Range<Int>, _ window: inout ByteWindow) -> ColourSpace? {
        guard range.count >= headerLength, window.has("acsp", at: range.lowerBound + 36) else { return nil }
        switch window.bigEndian(range.lowerBound + 16, 4) {
        case fourCC("GRAY"): return .grey
        case fourCC("CMYK"): return .cmyk
        default: break
        }
        let reader = ProfileReader(range, &window)
        return reader.codePoints(&window) ?? ColourSpace(profilePrimaries: reader.primaries(&window))
            ?? reader.description(&window)
    }

    private init(_ range: Range<Int>, _ window: inout ByteWindow) {
        self.range = range
        var tags: [Int: Range<Int>] = [:]
        let count = window.bigEndian(range.lowerBound + 128, 4) ?? 0
        for number in 0..<min(count, Self.limit) {
            let place = range.lowerBound + Self.headerLength + 12 * number
            guard place <= range.upperBound - 12, let name = window.bigEndian(place, 4),
                let offset = window.bigEndian(place + 4, 4), let size = window.bigEndian(place + 8, 4)
            else { break }
            guard offset <= range.count, size <= range.count - offset else { continue }
            tags[name] = range.lowerBound + offset..<range.lowerBound + offset + size
        }
        self.tags = tags
    }

    private func codePoints(_ window: inout ByteWindow) -> ColourSpace? {
        guard let tag = tags[fourCC("cicp")], tag.count >= 12, window.load(tag.lowerBound, 12) else { return nil }
        let start = tag.lowerBound + 8
        return ColourSpace(
            primaries: Int(window[start]),
            transfer: Int(window[start + 1]),
            matrix: Int(window[start + 2])
        )
    }

    private func primaries(_ window: inout ByteWindow) -> [Double] {
        var numbers: [Double] = []
        for name in [fourCC("rXYZ"), fourCC("gXYZ"), fourCC("bXYZ")] {
            guard let tag = tags[name], tag.count >= 20 else { return [] }
            for place in 0..<3 {
                guard let bits = window.bigEndian(tag.lowerBound + 8 + 4 * place, 4) else { return [] }
                numbers.append(Double(Int32(truncatingIfNeeded: bits)) / 65_536)
            }
        }
        return numbers
    }

    private func description(_ window: inout ByteWindow) -> ColourSpace? {
        guard let tag = tags[fourCC("desc")], tag.count >= 12 else { return nil }
        if window.has("desc", at: tag.lowerBound) {
            guard let count = window.bigEndian(tag.lowerBound + 8, 4) else { return nil }
            let text = text(tag.lowerBound + 12, min(count, tag.count - 12), &window)
            return ColourSpace(profileDescription: String(decoding: text.prefix { $0 != 0 }, as: UTF8.self))
        }
        guard window.has("mluc", at: tag.lowerBound), tag.count >= 28,
            let length = window.bigEndian(tag.lowerBound + 20, 4),
            let offset = window.bigEndian(tag.lowerBound + 24, 4), offset <= tag.count
        else { return nil }
        let bytes = text(tag.lowerBound + offset, min(length, tag.count - offset), &window)
        let units = stride(from: 0, to: bytes.count - 1, by: 2).map { UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]) }
        return ColourSpace(profileDescription: String(decoding: units.prefix { $0 != 0 }, as: UTF16.self))
    }

    private func text(_ place: Int, _ count: Int, _ window: inout ByteWindow) -> [UInt8] {
        let count = min(count, 256)
        return window.load(place, count) ? Array(window[place..<place + count]) : []
    }
}
