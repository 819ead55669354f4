import Files
import Foundation
import PictureDecoding
import PictureValues
import TestSupport

/// Pictures that the tests make with tools that are not ours.
enum Fixtures {
    static let missing = ["ffmpeg", "cwebp", "heif-enc", "vips", "vipsthumbnail", "webpmux"].filter { tool in
        (try? ChildProcess.run("sh", ["-c", "command -v \(tool)"])) == nil
    }

    /// A picture with fine detail, flat areas and strong colours, without two sides alike.
    static func make(
        _ name: String,
        _ size: String = "1200x900",
        in folder: TemporaryFolder,
        _ more: [String] = []
    ) throws -> String {
        let path = folder.file(name)
        try ChildProcess.run(
            "ffmpeg",
            [
                "-v", "error", "-y", "-f", "lavfi", "-i", "mandelbrot=size=\(size):start_scale=0.3", "-frames:v", "1",
            ] + more + [path]
        )
        return path
    }
}

func picture(_ path: String, _ side: Int = 320, moment: FilmMoment = .usual, isExact: Bool = false) throws -> Bitmap {
    let file = try Descriptor(path, .reading)
    var request = PictureDecoder.Request(side: side)
    (request.moment, request.isExact) = (moment, isExact)
    return try PictureDecoder.picture(of: file.number, request)
}

extension PixelSize {
    /// A size such as `320x240`.
    init?(parsing text: String) {
        let numbers = text.split(separator: "x").compactMap { Int($0) }
        guard numbers.count == 2 else { return nil }
        self.init(numbers[0], numbers[1])
    }
}

extension Bitmap {
    /// The structural similarity (SSIM) of two pictures' luma in blocks of eight pixels, 1 for equal ones.
    func likeness(to other: Bitmap) -> Double {
        guard size == other.size else { return 0 }
        let (ours, theirs) = (lumas, other.lumas)
        var (sum, count) = (0.0, 0)
        for top in stride(from: 0, through: size.height - 8, by: 4) {
            for left in stride(from: 0, through: size.width - 8, by: 4) {
                var (a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0)
                for row in top..<top + 8 {
                    for place in row * size.width + left..<row * size.width + left + 8 {
                        let (x, y) = (ours[place], theirs[place])
                        a += x
                        b += y
                        aa += x * x
                        bb += y * y
                        ab += x * y
                    }
                }
                (a, b) = (a / 64, b / 64)
                let (varianceA, varianceB, covariance) = (aa / 64 - a * a, bb / 64 - b * b, ab / 64 - a * b)
                let (c1, c2) = (6.5025, 58.5225)
                sum +=
                    (2 * a * b + c1) * (2 * covariance + c2)
                    / ((a * a + b * b + c1) * (varianceA + varianceB + c2))
                count += 1
            }
        }
        return sum / Double(max(1, count))
    }

    private var lumas: [Double] {
        (0..<size.pixelCount).map { pixel in
            let place = pixel * channels
            return 0.2126 * Double(pixels[place]) + 0.7152 * Double(pixels[place + 1]) + 0.0722
                * Double(pixels[place + 2])
        }
    }
}

/// A JPEG file with an EXIF segment that says how it is turned.
func withOrientation(_ jpeg: [UInt8], _ number: Int) -> [UInt8] {
    let exif: [UInt8] =
        Array("Exif\0\0II*\0".utf8) + [
            8, 0, 0, 0, 1, 0, 0x12, 0x01, 3, 0, 1, 0, 0, 0, UInt8(number), 0, 0, 0, 0, 0, 0, 0,
        ]
    return Array(jpeg[..<2]) + [0xff, 0xe1, 0, UInt8(exif.count + 2)] + exif + Array(jpeg[2...])
}
