import Files
import Glibc
import PictureDecoding
import PictureValues
import TestSupport

/// Decodes pictures as `segue-pictures` does, without its sandbox.
enum PictureFuzzing {
    static func prepare() { PictureDecoder.prepare() }

    /// - Returns: Whether there was a picture in the file.
    static func decode(_ path: String, _ generator: inout SplitMix) -> Bool {
        guard let file = try? Descriptor(path, .reading) else { return false }
        var request = PictureDecoder.Request(side: [1, 64, 320, 4_096].randomElement(using: &generator) ?? 64)
        request.isExact = Bool.random(using: &generator)
        let way = UInt8.random(in: 0..<4, using: &generator)
        do throws(PictureError) {
            let picture: Bitmap
            switch way {
            case 0: picture = try PictureDecoder.square(of: file.number, request)
            case 1: picture = try PictureDecoder.strip(of: file.number, request, frames: 3)
            default: picture = try PictureDecoder.picture(of: file.number, request)
            }
            let limit = way == 1 ? 3 * request.side : request.side
            precondition(picture.size.longestSide <= limit, "\(picture.size) for \(limit)")
            precondition(picture.pixels.count == picture.size.pixelCount * picture.channels)
            return true
        } catch {
            let words = "\(error)"
            precondition(!words.isEmpty && words.utf8.count < 512 && !words.contains { $0.isNewline }, words)
            return false
        }
    }

    /// What the process has had in memory at once.
    static var peakMegabytes: Int {
        var usage = rusage()
        unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return usage.ru_maxrss / 1_024
    }
}
