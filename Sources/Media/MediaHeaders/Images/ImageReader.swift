/// Reads the dimensions, orientation and date of pictures.
extension HeaderReader {
    /// JPEG (ITU T.81), with EXIF in its first segments.
    mutating func readJPEG(into file: inout ScannedFile) -> Bool {
        var place = 2
        for _ in 0..<1024 {
            guard window.load(place, 4), window[place] == 0xff else { return false }
            let marker = window[place + 1]
            // Fill bytes.
            if marker == 0xff {
                place += 1
                continue
            }
            guard let length = window.bigEndian(place + 2, 2), length >= 2 else { return false }
            switch marker {
            case 0xe1 where window.has("Exif\0\0", at: place + 4):
                EXIF.read(place + 10..<min(window.size, place + 2 + length), &window, into: &file)
            case 0xc0...0xcf where marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
                guard let height = window.bigEndian(place + 5, 2), let width = window.bigEndian(place + 7, 2),
                    width > 0, height > 0
                else { return false }
                return finishImage("mjpeg", width, height, into: &file)
            case 0xd9, 0xda: return false
            default: break
            }
            place += 2 + length
        }
        return false
    }

    /// PNG (ISO 15948), with EXIF in a chunk.
    mutating func readPNG(into file: inout ScannedFile) -> Bool {
        guard window.bigEndian(4, 4) == 0x0d0a_1a0a, window.has("IHDR", at: 12), let width = window.bigEndian(16, 4),
            let height = window.bigEndian(20, 4), width > 0, height > 0
        else { return false }
        var place = 8
        for _ in 0..<1024 {
            guard let length = window.bigEndian(place, 4), let name = window.bigEndian(place + 4, 4),
                name != fourCC("IDAT"), length <= window.size - place - 8
            else { break }
            if name == fourCC("eXIf") { EXIF.read(place + 8..<place + 8 + length, &window, into: &file) }
            place += 12 + length
        }
        return finishImage("png", width, height, into: &file)
    }

    /// WebP (RFC 9649).
    mutating func readWebP(into file: inout ScannedFile) -> Bool {
        guard window.load(0, 30), let name = window.bigEndian(12, 4) else { return false }
        switch name {
        case fourCC("VP8 "):
            guard let width = window.littleEndian(26, 2), let height = window.littleEndian(28, 2) else { return false }
            return finishImage("webp", width & 0x3fff, height & 0x3fff, into: &file)
        case fourCC("VP8L"):
            guard window[20] == 0x2f, let bits = window.littleEndian(21, 4) else { return false }
            return finishImage("webp", bits & 0x3fff + 1, bits >> 14 & 0x3fff + 1, into: &file)
        case fourCC("VP8X"):
            guard let width = window.littleEndian(24, 3), let height = window.littleEndian(27, 3) else { return false }
            var place = 12
            for _ in 0..<1024 {
                guard let kind = window.bigEndian(place, 4), let length = window.littleEndian(place + 4, 4),
                    length <= window.size - place - 8
                else { break }
                if kind == fourCC("EXIF") {
                    let start = window.has("Exif\0\0", at: place + 8) ? place + 14 : place + 8
                    EXIF.read(start..<max(start, place + 8 + length), &window, into: &file)
                }
                place += 8 + length + length % 2
            }
            return finishImage("webp", width + 1, height + 1, into: &file)
        default: return false
        }
    }

    /// The orientation that a TIFF file has for its first picture, 1 to 8 (TIFF 6.0, tag 274).
    package mutating func orientation(ofTIFF descriptor: Int32, size: Int) -> Int? {
        window.begin(descriptor, size: size)
        var file = ScannedFile(uri: "", size: size, modified: 0, inode: 0)
        EXIF.read(0..<size, &window, into: &file)
        return file.orientation
    }

    private func finishImage(_ codec: String, _ width: Int, _ height: Int, into file: inout ScannedFile) -> Bool {
        file.kind = .image
        file.codec = codec
        (file.width, file.height) = (width, height)
        return width > 0 && height > 0
    }
}
