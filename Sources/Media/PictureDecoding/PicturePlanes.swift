internal import PictureValues

/// A decoded picture at its final size, plane by plane, not turned yet, and in the colours of its file.
struct PicturePlanes {
    enum Model {
        case grey
        case rgb
        /// In inverted samples, 0 is all of an ink.
        case cmyk(isInverted: Bool)
        case yCbCr(VideoColour)
    }

    var model: Model
    var size: PixelSize
    /// Samples of 0 to 255, or as deep as the model says.
    var samples: [[UInt16]]
    /// 0 to 255.
    var alpha: [UInt16]?
    /// Whether the alpha is multiplied into the samples.
    var isPremultiplied = false
    /// An ICC profile; empty when there is none.
    var profile: [UInt8] = []
    var orientation = PictureOrientation.up
    /// Why a part of it is missing; `nil` when it is whole.
    var damage: String?

    /// The picture upright, in sRGB.
    func bitmap() -> Bitmap {
        var pixels = colours()
        if let alpha {
            var withAlpha = [UInt8](repeating: 0, count: size.pixelCount * 4)
            for pixel in 0..<size.pixelCount {
                for channel in 0..<3 { withAlpha[pixel * 4 + channel] = pixels[pixel * 3 + channel] }
                withAlpha[pixel * 4 + 3] = UInt8(clamping: alpha[pixel])
            }
            pixels = withAlpha
        }
        return Bitmap(size, channels: alpha == nil ? 3 : 4, pixels: pixels, damage: damage).turned(orientation)
    }

    /// sRGB, three bytes per pixel.
    private func colours() -> [UInt8] {
        switch model {
        case .yCbCr(let colour):
            var pixels = colour.sRGB(samples)
            if isPremultiplied, let alpha {
                for place in pixels.indices {
                    pixels[place] = Self.divided(Int(pixels[place]), by: Int(alpha[place / 3]))
                }
            }
            return ColourProfile.converted(pixels, .rgb, by: profile) ?? pixels
        case .grey:
            let pixels = interleaved(1)
            if let converted = ColourProfile.converted(pixels, .grey, by: profile) { return converted }
            return pixels.flatMap { [$0, $0, $0] }
        case .rgb:
            let pixels = interleaved(3)
            return ColourProfile.converted(pixels, .rgb, by: profile) ?? pixels
        case .cmyk(let isInverted):
            var pixels = interleaved(4)
            if let converted = ColourProfile.converted(pixels, isInverted ? .invertedCMYK : .cmyk, by: profile) {
                return converted
            }
            if !isInverted { pixels = pixels.map { 255 - $0 } }
            return (0..<size.pixelCount).flatMap { pixel in
                (0..<3).map { UInt8(Int(pixels[pixel * 4 + $0]) * Int(pixels[pixel * 4 + 3]) / 255) }
            }
        }
    }

    /// A sample without the alpha that is multiplied into it.
    private static func divided(_ sample: Int, by alpha: Int) -> UInt8 {
        alpha == 0 ? 0 : UInt8(clamping: sample * 255 / alpha)
    }

    private func interleaved(_ channels: Int) -> [UInt8] {
        var pixels = [UInt8](repeating: 0, count: size.pixelCount * channels)
        for channel in 0..<channels {
            var place = channel
            for pixel in 0..<size.pixelCount {
                var sample = Int(samples[channel][pixel])
                if isPremultiplied, let alpha { sample = Int(Self.divided(sample, by: Int(alpha[pixel]))) }
                pixels[place] = UInt8(clamping: sample)
                place += channels
            }
        }
        return pixels
    }
}

extension PicturePlanes {
    /// Scales the planes of a shrunken picture to their final size.
    init(_ shrinker: RowShrinker, _ model: Model, hasAlpha: Bool, to size: PixelSize) throws(PictureError) {
        var scaled: [[UInt16]] = []
        for plane in shrinker.planes {
            let result = unsafe plane.withUnsafeBufferPointer { buffer -> Result<[UInt16], PictureError> in
                guard let base = buffer.baseAddress else { return .failure(.damaged("it is empty")) }
                let plane = unsafe PlaneScaler.Plane(
                    base,
                    stride: shrinker.size.width,
                    size: shrinker.size,
                    depth: 8
                )
                return Result { () throws(PictureError) in try PlaneScaler.scaled(plane, to: size) }
            }
            scaled.append(try result.get())
        }
        self.init(model: model, size: size, samples: scaled)
        if hasAlpha {
            alpha = samples.removeLast()
            isPremultiplied = true
        }
    }
}
