/// A picture's dimensions in pixels.
package struct PixelSize: Sendable, Hashable {
    /// 1 to ``limit`` each.
    package let width, height: Int

    /// The size that no format of pictures exceeds (JPEG and WebP end at 65,535 and 16,383).
    package static let limit = 1 << 20

    package init?(_ width: Int, _ height: Int) {
        guard (1...Self.limit).contains(width), (1...Self.limit).contains(height) else { return nil }
        (self.width, self.height) = (width, height)
    }

    private init(clamping width: Double, _ height: Double) {
        self.width = min(Self.limit, max(1, Int(saturating: width.rounded())))
        self.height = min(Self.limit, max(1, Int(saturating: height.rounded())))
    }

    package var pixelCount: Int { width * height }
    package var longestSide: Int { max(width, height) }
    package var shortestSide: Int { min(width, height) }
    package var transposed: PixelSize { PixelSize(clamping: Double(height), Double(width)) }

    /// The largest size of the same shape whose longest side is at most `side` pixels; never larger than this one.
    ///
    /// - Parameter pixelShape: A pixel's width divided by its height; the result's pixels are square.
    package func fitted(within side: Int, pixelShape: Double = 1) -> PixelSize {
        // The dimension that has too few pixels for its length grows.
        let (shownWidth, shownHeight) =
            pixelShape >= 1
            ? (Double(width) * pixelShape, Double(height)) : (Double(width), Double(height) / pixelShape)
        let scale = min(1, Double(max(1, side)) / max(shownWidth, shownHeight))
        return PixelSize(clamping: shownWidth * scale, shownHeight * scale)
    }

    /// How many blocks of so many pixels each way there are, those at the ends that are not whole among them.
    package func inBlocks(of side: Int) -> PixelSize? {
        PixelSize((width + side - 1) / side, (height + side - 1) / side)
    }

    /// How many times larger this is than another size, in the dimension where it is least; at least 1.
    package func factor(over other: PixelSize) -> Double {
        max(1, min(Double(width) / Double(other.width), Double(height) / Double(other.height)))
    }
}

extension PixelSize: CustomStringConvertible {
    package var description: String { "\(width) x \(height)" }
}
