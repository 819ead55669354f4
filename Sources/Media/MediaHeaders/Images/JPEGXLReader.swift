internal import PictureValues

/// The header of a JPEG XL picture (ISO 18181-1, sections D.2 and D.3), bare or in boxes (ISO 18181-2).
struct JPEGXLReader {
    private let bytes: [UInt8]
    /// In bits; the lowest of each byte is the first.
    private var place = 16

    /// More than the dimensions and the orientation take, in bytes.
    private static let length = 24

    static func read(_ window: inout ByteWindow) -> PictureHeader? {
        guard let start = codestream(&window) else { return nil }
        let count = min(length, window.size - start)
        guard count >= 4, window.load(start, count), window[start] == 0xff, window[start + 1] == 0x0a else {
            return nil
        }
        var reader = JPEGXLReader(bytes: Array(window[start..<start + count]))
        guard let size = reader.size() else { return nil }
        var picture = PictureHeader(format: "jpegxl", codec: "jpegxl", size: size)
        // The rest is all as usual, else a bit says whether there is more than the colours.
        if reader.bits(1) == 1 {
            (picture.colourSpace, picture.bitsPerSample) = (.sRGB, 8)
        } else if reader.bits(1) == 1, let orientation = reader.bits(3) {
            picture.orientation = PictureOrientation(rawValue: orientation + 1) ?? .up
        }
        return picture
    }

    private init(bytes: [UInt8]) { self.bytes = bytes }

    private static func codestream(_ window: inout ByteWindow) -> Int? {
        if window.has("\u{0}\u{0}\u{0}\u{c}JXL ", at: 0) {
            let boxes = MP4Boxes(0..<window.size)
            // A part begins with its number.
            return boxes.first("jxlc", &window)?.lowerBound ?? boxes.first("jxlp", &window).map { $0.lowerBound + 4 }
        }
        return 0
    }

    private mutating func size() -> PixelSize? {
        guard let isSmall = bits(1), let height = side(isSmall == 1), let ratio = bits(3) else { return nil }
        let ratios = [(1, 1), (12, 10), (4, 3), (3, 2), (16, 9), (5, 4), (2, 1)]
        guard ratio > 0 else { return side(isSmall == 1).flatMap { PixelSize($0, height) } }
        let (across, down) = ratios[ratio - 1]
        return PixelSize(height * across / down, height)
    }

    private mutating func side(_ isSmall: Bool) -> Int? {
        if isSmall { return bits(5).map { ($0 + 1) * 8 } }
        return bits(2).flatMap { bits([9, 13, 18, 30][$0]) }.map { $0 + 1 }
    }

    private mutating func bits(_ count: Int) -> Int? {
        guard place + count <= bytes.count * 8 else { return nil }
        defer { place += count }
        return (0..<count).reduce(0) { value, bit in
            let at = place + bit
            return value | Int(bytes[at / 8] >> UInt8(at % 8) & 1) << bit
        }
    }
}
