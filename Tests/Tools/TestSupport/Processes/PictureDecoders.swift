private import CZlib
import PictureValues

/// The most pixels that a test's program draws; more are a damaged size.
private let mostPixels = 1 << 24

/// Pictures as kitty's graphics protocol sends them.
enum KittyDecoder {
    static func picture(_ control: String, _ data: [UInt8]) -> Bitmap? {
        let settings = Dictionary(
            control.split(separator: ",").map { ($0.prefix(1), Int($0.dropFirst(2)) ?? 0) },
            uniquingKeysWith: { $1 }
        )
        guard let width = settings["s"], let height = settings["v"], let size = PixelSize(width, height),
            size.pixelCount <= mostPixels, let depth = settings["f"], depth == 24 || depth == 32
        else { return nil }
        var pixels = bytes(ofBase64: data)
        if control.split(separator: ",").contains("o=z") {
            pixels = inflated(pixels, count: size.pixelCount * depth / 8)
        }
        guard pixels.count == size.pixelCount * depth / 8 else { return nil }
        return Bitmap(size, channels: depth / 8, pixels: pixels)
    }

    /// What zlib has compressed; nothing where that is another number of bytes.
    private static func inflated(_ bytes: [UInt8], count: Int) -> [UInt8] {
        unsafe [UInt8](unsafeUninitializedCapacity: count) { target, used in
            var length = uLong(count)
            let code = unsafe uncompress(target.baseAddress, &length, bytes, uLong(bytes.count))
            used = code == Z_OK ? Int(length) : 0
        }
    }

    private static func bytes(ofBase64 text: [UInt8]) -> [UInt8] {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var values = [Int?](repeating: nil, count: 256)
        for (value, digit) in digits.enumerated() { values[Int(digit)] = value }
        var (bytes, bits, count): ([UInt8], Int, Int) = ([], 0, 0)
        for digit in text {
            guard let value = values[Int(digit)] else { continue }
            (bits, count) = (bits << 6 | value, count + 6)
            if count >= 8 {
                count -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> count))
            }
        }
        return bytes
    }
}

/// Pictures as DEC's sixels (VT330/VT340 Programmer Reference Manual, volume 2, chapter 14).
enum SixelDecoder {
    /// - Parameter text: What lies between `ESC P` and `ESC \`.
    static func picture(_ text: [UInt8]) -> Bitmap? {
        guard let start = text.firstIndex(of: UInt8(ascii: "q")) else { return nil }
        var state = State()
        var place = start + 1
        while place < text.count { place = state.take(text, place) }
        return state.picture
    }

    private struct State {
        private var colours: [Int: RGBColor] = [:]
        private var colour = 0
        private var (column, band, count) = (0, 0, 1)
        private var size: PixelSize?
        private var pixels: [UInt8] = []

        var picture: Bitmap? { size.map { Bitmap($0, channels: 3, pixels: pixels) } }

        /// - Returns: The next place.
        mutating func take(_ text: [UInt8], _ place: Int) -> Int {
            switch text[place] {
            case UInt8(ascii: "\""):
                let (numbers, next) = numbers(text, place + 1)
                size = numbers.count == 4 ? PixelSize(numbers[2], numbers[3]) : nil
                if let size, size.pixelCount > mostPixels { self.size = nil }
                pixels = Array(repeating: 0, count: (size?.pixelCount ?? 0) * 3)
                return next
            case UInt8(ascii: "#"):
                let (numbers, next) = numbers(text, place + 1)
                colour = numbers[0]
                if numbers.count == 5, numbers[1] == 2 {
                    let shares = numbers[2...].map { UInt8(clamping: ($0 * 255 + 50) / 100) }
                    colours[colour] = RGBColor(red: shares[0], green: shares[1], blue: shares[2])
                }
                return next
            case UInt8(ascii: "!"):
                let (numbers, next) = numbers(text, place + 1)
                count = numbers[0]
                return next
            case UInt8(ascii: "$"): column = 0
            case UInt8(ascii: "-"): (column, band) = (0, band + 6)
            case 0x3f...0x7e: draw(text[place] - 0x3f)
            default: break
            }
            return place + 1
        }

        private func numbers(_ text: [UInt8], _ start: Int) -> ([Int], Int) {
            let end = text[start...].firstIndex { !(0x30...0x3b).contains($0) } ?? text.count
            let words = String(decoding: text[start..<end], as: UTF8.self)
            return (
                words.split(separator: ";", omittingEmptySubsequences: false).map { min(Int($0) ?? 0, 1 << 16) }, end
            )
        }

        private mutating func draw(_ bits: UInt8) {
            defer { (column, count) = (column + count, 1) }
            guard let size, column < size.width, let colour = colours[colour] else { return }
            for row in 0..<6 where bits >> UInt8(row) & 1 == 1 && band + row < size.height {
                for column in column..<min(size.width, column + count) {
                    let place = ((band + row) * size.width + column) * 3
                    pixels.replaceSubrange(place..<place + 3, with: [colour.red, colour.green, colour.blue])
                }
            }
        }
    }
}
