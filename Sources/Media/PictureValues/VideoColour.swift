private import Glibc

/// The meaning of samples of luma and chroma, in the code points of ITU-T H.273.
package struct VideoColour: Sendable, Hashable {
    package var matrix: Int
    package var transfer: Int
    package var primaries: Int
    package var isFullRange: Bool
    /// Bits per sample, 8 to 16.
    package var depth: Int
    /// The brightest that the picture was made for, in cd/m².
    package var peak: Double

    package init(
        matrix: Int,
        transfer: Int,
        primaries: Int,
        isFullRange: Bool,
        depth: Int,
        peak: Double = Self.usualPeak
    ) {
        (self.matrix, self.transfer, self.primaries) = (matrix, transfer, primaries)
        (self.isFullRange, self.depth) = (isFullRange, min(16, max(8, depth)))
        self.peak = peak.isFinite ? min(10_000, max(Self.white, peak)) : Self.usualPeak
    }

    package static let usualPeak = 1_000.0
    /// Diffuse white of HDR pictures, in cd/m² (ITU-R BT.2408), which becomes white.
    private static let white = 203.0

    package var isHDR: Bool { transfer == 16 || transfer == 18 }

    /// The weights of red and blue in luma; `nil` for planes of green, blue and red.
    private var weights: (red: Double, blue: Double)? {
        switch matrix {
        case 0: nil
        case 1: (0.2126, 0.0722)
        case 9, 10: (0.2627, 0.0593)
        default: (0.299, 0.114)
        }
    }

    /// Converts planes of one size into sRGB, three bytes per pixel.
    ///
    /// HDR (PQ and HLG) is mapped to what a screen without it shows, by the curve of ITU-R BT.2390.
    ///
    /// - Parameters:
    ///   - planes: Y, Cb, Cr, or Y alone; with matrix 0: green, blue, red.
    package func sRGB(_ planes: [[UInt16]]) -> [UInt8] {
        let count = planes[0].count
        var pixels = [UInt8](repeating: 0, count: count * 3)
        let steps = Double(1 << depth)
        let unit = isFullRange ? steps - 1 : 219 * steps / 256
        let (black, middle) = (isFullRange ? 0 : steps / 16, steps / 2)
        let chromaUnit = isFullRange ? steps - 1 : 224 * steps / 256
        let mapping = isHDR || primaries == 9 || primaries == 12 ? LightMapping(self) : nil
        for pixel in 0..<count {
            var colour: SIMD3<Double>
            let luma = (Double(planes[0][pixel]) - black) / unit
            if planes.count < 3 {
                colour = SIMD3(repeating: luma)
            } else if let weights {
                let blue = (Double(planes[1][pixel]) - middle) / chromaUnit
                let red = (Double(planes[2][pixel]) - middle) / chromaUnit
                let redPart = 2 * (1 - weights.red) * red
                let bluePart = 2 * (1 - weights.blue) * blue
                let greenPart =
                    -(redPart * weights.red + bluePart * weights.blue) / (1 - weights.red - weights.blue)
                colour = SIMD3(luma + redPart, luma + greenPart, luma + bluePart)
            } else {
                let others = (1...2).map { (Double(planes[$0][pixel]) - black) / unit }
                colour = SIMD3(others[1], luma, others[0])
            }
            colour.clamp(lowerBound: .zero, upperBound: .one)
            if let mapping { colour = mapping.shown(colour) }
            for channel in 0..<3 { pixels[pixel * 3 + channel] = UInt8(saturating: (colour[channel] * 255).rounded()) }
        }
        return pixels
    }

    /// From the code values of one kind of light to sRGB's.
    private struct LightMapping {
        private let transfer: Int
        private let primaries: Int
        private let curve: HighlightCurve

        init(_ colour: VideoColour) {
            (transfer, primaries) = (colour.transfer, colour.primaries)
            curve = HighlightCurve(peak: colour.peak, white: VideoColour.white)
        }

        func shown(_ colour: SIMD3<Double>) -> SIMD3<Double> {
            var light = linear(colour)
            switch primaries {
            case 9:
                // ITU-R BT.2087, annex 2, inverted.
                light = SIMD3(
                    1.6605 * light.x - 0.5876 * light.y - 0.0728 * light.z,
                    -0.1246 * light.x + 1.1329 * light.y - 0.0083 * light.z,
                    -0.0182 * light.x - 0.1006 * light.y + 1.1187 * light.z
                )
            case 12:
                // Display P3 to sRGB, both with D65.
                light = SIMD3(
                    1.2249 * light.x - 0.2247 * light.y,
                    -0.0420 * light.x + 1.0419 * light.y,
                    -0.0197 * light.x - 0.0786 * light.y + 1.0979 * light.z
                )
            default: break
            }
            light.clamp(lowerBound: .zero, upperBound: .one)
            return SIMD3(encoded(light.x), encoded(light.y), encoded(light.z))
        }

        /// 1 is white.
        private func linear(_ colour: SIMD3<Double>) -> SIMD3<Double> {
            switch transfer {
            case 16:
                return curve.mapped(SIMD3(PQ.light(colour.x), PQ.light(colour.y), PQ.light(colour.z)))
            case 18:
                // ITU-R BT.2100, table 5, on a screen of 1,000 cd/m².
                let scene = SIMD3(hlgScene(colour.x), hlgScene(colour.y), hlgScene(colour.z))
                let luma = 0.2627 * scene.x + 0.6780 * scene.y + 0.0593 * scene.z
                return curve.mapped(scene * (1_000 * pow(max(luma, 1e-6), 0.2)))
            default:
                return SIMD3(decoded(colour.x), decoded(colour.y), decoded(colour.z))
            }
        }

        private func hlgScene(_ value: Double) -> Double {
            value <= 0.5 ? value * value / 3 : (exp((value - 0.559_910_73) / 0.178_832_77) + 0.284_668_92) / 12
        }

        /// IEC 61966-2-1.
        private func decoded(_ value: Double) -> Double {
            value <= 0.040_45 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4)
        }

        private func encoded(_ light: Double) -> Double {
            light <= 0.003_130_8 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
        }
    }

    /// The perceptual quantiser (SMPTE ST 2084): code values 0 to 1, light in cd/m².
    private enum PQ {
        private static let (m1, m2) = (0.159_301_757_812_5, 78.843_75)
        private static let (c1, c2, c3) = (0.835_937_5, 18.851_562_5, 18.687_5)

        static func light(_ code: Double) -> Double {
            let power = pow(max(0, code), 1 / m2)
            return 10_000 * pow(max(0, power - c1) / (c2 - c3 * power), 1 / m1)
        }

        static func code(_ light: Double) -> Double {
            let power = pow(max(0, light) / 10_000, m1)
            return pow((c1 + c2 * power) / (1 + c3 * power), m2)
        }
    }

    /// Rolls highlights off to white, and leaves what is darker as it is (ITU-R BT.2390, section 5.4).
    private struct HighlightCurve {
        private let peakCode, knee, most: Double
        private let white: Double

        init(peak: Double, white: Double) {
            self.white = white
            peakCode = PQ.code(peak)
            most = PQ.code(white) / peakCode
            knee = max(0, 1.5 * most - 0.5)
        }

        /// - Parameter light: In cd/m²; the ratio of the colours stays.
        func mapped(_ light: SIMD3<Double>) -> SIMD3<Double> {
            let brightest = light.max()
            guard brightest > 0 else { return .zero }
            let code = min(1, PQ.code(brightest) / peakCode)
            guard code > knee else { return light / white }
            let place = (code - knee) / (1 - knee)
            let (square, cube) = (place * place, place * place * place)
            let shown =
                (2 * cube - 3 * square + 1) * knee + (cube - 2 * square + place) * (1 - knee)
                + (3 * square - 2 * cube) * most
            return light * (PQ.light(shown * peakCode) / brightest / white)
        }
    }
}
