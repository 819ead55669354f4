private import CPictures
private import CWebP
private import Files
private import Glibc
package import PictureValues

package enum PictureEncoder {
    /// Writes a picture to an open file, from where the file is.
    ///
    /// Blocks.
    ///
    /// - Parameter quality: 1 to 100, of JPEG and WebP.
    package static func write(
        _ picture: Bitmap,
        as format: PictureFormat,
        quality: Int = 85,
        to file: Int32
    ) throws(PictureError) {
        let (width, height) = (Int32(picture.size.width), Int32(picture.size.height))
        errno = 0
        let isWritten =
            switch format {
            case .jpeg:
                unsafe segue_write_jpeg(file, picture.flattened().pixels, width, height, Int32(clamping: quality))
            case .png: unsafe segue_write_png(file, picture.pixels, width, height, Int32(picture.channels))
            case .webP: try writeWebP(picture, quality, file)
            case .rgba: writeAll(picture.withAlpha.pixels, to: file)
            }
        guard isWritten else {
            throw .system(
                errno == 0 ? "cannot be encoded" : "cannot be written: \(unsafe String(cString: strerror(errno)))"
            )
        }
    }

    private static func writeWebP(_ picture: Bitmap, _ quality: Int, _ file: Int32) throws(PictureError) -> Bool {
        guard picture.size.longestSide <= Int(WEBP_MAX_DIMENSION) else { throw .unsupported("WebP of that size") }
        var bytes: UnsafeMutablePointer<UInt8>?
        let (width, height) = (Int32(picture.size.width), Int32(picture.size.height))
        let stride = width * Int32(picture.channels)
        let count =
            picture.hasAlpha
            ? unsafe WebPEncodeRGBA(picture.pixels, width, height, stride, Float(quality), &bytes)
            : unsafe WebPEncodeRGB(picture.pixels, width, height, stride, Float(quality), &bytes)
        defer { unsafe WebPFree(bytes) }
        guard count > 0, let bytes = unsafe bytes else { return false }
        return writeAll(unsafe Array(UnsafeBufferPointer(start: bytes, count: count)), to: file)
    }

    /// Writes bytes to an open file, from where the file is.
    package static func write(_ bytes: [UInt8], to file: Int32) throws(PictureError) {
        do { try Descriptor(borrowing: file).write(bytes) } catch { throw .system("cannot be written: \(error)") }
    }

    private static func writeAll(_ bytes: [UInt8], to file: Int32) -> Bool { (try? write(bytes, to: file)) != nil }
}

extension Bitmap {
    var withAlpha: Bitmap {
        if hasAlpha { return self }
        var all = [UInt8](repeating: 255, count: size.pixelCount * 4)
        for pixel in 0..<size.pixelCount {
            for channel in 0..<3 { all[pixel * 4 + channel] = pixels[pixel * 3 + channel] }
        }
        return Bitmap(size, channels: 4, pixels: all)
    }
}
