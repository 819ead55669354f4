/// A decoded picture: rows of RGB or RGBA in sRGB, one byte per sample, the alpha not multiplied in.
package struct Bitmap: Sendable, Hashable {
    package let size: PixelSize
    /// 3 (RGB) or 4 (RGBA).
    package let channels: Int
    /// `size.height` rows of `size.width * channels` bytes.
    package let pixels: [UInt8]
    /// Why a part of the picture is missing, as ``PictureError/damaged(_:)`` has it; `nil` when it is whole.
    package let damage: String?

    /// - Precondition: As many bytes as the size and channels need.
    package init(_ size: PixelSize, channels: Int, pixels: [UInt8], damage: String? = nil) {
        precondition(pixels.count == size.pixelCount * channels, "a bitmap has all its bytes")
        (self.size, self.channels, self.pixels, self.damage) = (size, channels, pixels, damage)
    }

    /// Pictures in a row, from left to right, without alpha; below smaller ones is black.
    ///
    /// - Throws: ``PictureError`` when the result would be too large.
    package init(besideEachOther pictures: [Bitmap]) throws(PictureError) {
        let width = pictures.reduce(0) { $0 + $1.size.width }
        guard let size = PixelSize(width, pictures.map(\.size.height).max() ?? 0) else {
            throw .damaged("it has no pixels")
        }
        try PictureLimits.check(bytes: size.pixelCount * 3)
        var pixels = [UInt8](repeating: 0, count: size.pixelCount * 3)
        var left = 0
        for picture in pictures {
            let count = picture.size.width * 3
            for row in 0..<picture.size.height {
                let place = (row * width + left) * 3
                pixels.replaceSubrange(place..<place + count, with: picture.pixels[row * count..<(row + 1) * count])
            }
            left += picture.size.width
        }
        self.init(size, channels: 3, pixels: pixels, damage: pictures.compactMap(\.damage).first)
    }

    package var hasAlpha: Bool { channels == 4 }

    /// The picture turned upright.
    package func turned(_ orientation: PictureOrientation) -> Bitmap {
        if orientation == .up { return self }
        let upright = orientation.swapsSides ? size.transposed : size
        var turned = [UInt8](repeating: 0, count: pixels.count)
        var place = 0
        for row in 0..<upright.height {
            for column in 0..<upright.width {
                let stored = orientation.stored(column, row, size)
                let source = (stored.row * size.width + stored.column) * channels
                for channel in 0..<channels { turned[place + channel] = pixels[source + channel] }
                place += channels
            }
        }
        return Bitmap(upright, channels: channels, pixels: turned, damage: damage)
    }

    /// The picture on a colour, without alpha.
    package func flattened(on background: RGBColor = .white) -> Bitmap {
        guard hasAlpha else { return self }
        var flat = [UInt8](repeating: 0, count: size.pixelCount * 3)
        let colour = [Int(background.red), Int(background.green), Int(background.blue)]
        for pixel in 0..<size.pixelCount {
            let alpha = Int(pixels[pixel * 4 + 3])
            for channel in 0..<3 {
                let sum = Int(pixels[pixel * 4 + channel]) * alpha + colour[channel] * (255 - alpha)
                flat[pixel * 3 + channel] = UInt8(clamping: (sum + 127) / 255)
            }
        }
        return Bitmap(size, channels: 3, pixels: flat, damage: damage)
    }

    /// How much there is to see: the mean and the standard deviation of the luma, 0 to 255.
    package var luma: (mean: Double, deviation: Double) {
        var (sum, squares) = (0.0, 0.0)
        for pixel in 0..<size.pixelCount {
            let place = pixel * channels
            let luma =
                0.2126 * Double(pixels[place]) + 0.7152 * Double(pixels[place + 1]) + 0.0722 * Double(pixels[place + 2])
            sum += luma
            squares += luma * luma
        }
        let mean = sum / Double(size.pixelCount)
        return (mean, max(0, squares / Double(size.pixelCount) - mean * mean).squareRoot())
    }
}

package struct RGBColor: Sendable, Hashable {
    package var red, green, blue: UInt8

    package init(red: UInt8, green: UInt8, blue: UInt8) { (self.red, self.green, self.blue) = (red, green, blue) }

    package static let white = RGBColor(red: 255, green: 255, blue: 255)
    package static let black = RGBColor(red: 0, green: 0, blue: 0)
}
