/// Squares, for pictures that lie beside each other.
extension Bitmap {
    /// The largest square in the middle.
    package var middle: Bitmap {
        let side = size.shortestSide
        guard size.longestSide > side, let square = PixelSize(side, side) else { return self }
        let (left, top) = ((size.width - side) / 2, (size.height - side) / 2)
        var rows: [UInt8] = []
        rows.reserveCapacity(square.pixelCount * channels)
        for row in top..<top + side {
            let start = (row * size.width + left) * channels
            rows += pixels[start..<start + side * channels]
        }
        return Bitmap(square, channels: channels, pixels: rows, damage: damage)
    }

    /// A square of another size, between whose pixels values change evenly: for small differences, and for enlarging.
    package func enlarged(toSquare side: Int) -> Bitmap {
        guard size.width != side || size.height != side, let square = PixelSize(side, side) else { return self }
        let columns = Self.samples(side, of: size.width)
        let rows = Self.samples(side, of: size.height)
        var scaled = [UInt8](repeating: 0, count: square.pixelCount * channels)
        var place = 0
        for row in rows {
            for column in columns {
                for channel in 0..<channels {
                    func value(_ y: Int, _ x: Int) -> Double {
                        Double(pixels[(y * size.width + x) * channels + channel])
                    }
                    let above = mix(value(row.first, column.first), value(row.first, column.second), column.share)
                    let below = mix(value(row.second, column.first), value(row.second, column.second), column.share)
                    scaled[place] = UInt8(saturating: mix(above, below, row.share).rounded())
                    place += 1
                }
            }
        }
        return Bitmap(square, channels: channels, pixels: scaled, damage: damage)
    }

    /// For each new pixel of a line, the two old ones that its middle lies between, and the second one's share.
    private static func samples(_ count: Int, of old: Int) -> [(first: Int, second: Int, share: Double)] {
        (0..<count).map { place in
            let middle = (Double(place) + 0.5) * Double(old) / Double(count) - 0.5
            let inside = min(Double(old - 1), max(0, middle))
            let first = Int(saturating: inside)
            return (first, min(old - 1, first + 1), inside - Double(first))
        }
    }
}

private func mix(_ first: Double, _ second: Double, _ share: Double) -> Double { first + (second - first) * share }
