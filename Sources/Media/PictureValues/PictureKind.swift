/// The kind of a file, by its first bytes.
package enum PictureKind: Sendable, Hashable {
    case jpeg, png, webP, gif, bmp, tiff, heif, jpegXL, svg
    /// A film, or nothing that is known.
    case other

    /// Whether it is one of the kinds that are decoded as pictures.
    package var isPicture: Bool { self != .other && self != .svg }

    /// How many bytes tell.
    package static let headLength = 256

    /// - Parameter head: The file's first bytes, ``headLength`` of them if there are as many.
    package init(head: [UInt8]) {
        func has(_ text: StaticString, at offset: Int = 0) -> Bool {
            text.withUTF8Buffer { letters in
                guard head.count >= offset + letters.count else { return false }
                return unsafe head[offset..<offset + letters.count].elementsEqual(letters)
            }
        }
        if head.starts(with: [0xff, 0xd8, 0xff]) {
            self = .jpeg
        } else if head.starts(with: [0x89, 0x50, 0x4e, 0x47]) {
            self = .png
        } else if has("RIFF"), has("WEBP", at: 8) {
            self = .webP
        } else if has("GIF8") {
            self = .gif
        } else if has("BM"), head.count > 14, head[6..<10].allSatisfy({ $0 == 0 }) {
            self = .bmp
        } else if head.starts(with: [0x49, 0x49, 42, 0]) || head.starts(with: [0x4d, 0x4d, 0, 42]) {
            self = .tiff
        } else if has("ftyp", at: 4), Self.heifBrands.contains(where: { head.dropFirst(8).starts(with: $0.utf8) }) {
            self = .heif
        } else if head.starts(with: [0xff, 0x0a]) || has("JXL ", at: 4) {
            self = .jpegXL
        } else if Self.isSVG(head) {
            self = .svg
        } else {
            self = .other
        }
    }

    /// Major brands of still pictures (ISO 23008-12, AV1 Image File Format).
    private static let heifBrands = ["heic", "heix", "heim", "heis", "mif1", "mif2", "avif"]

    private static func isSVG(_ head: [UInt8]) -> Bool {
        let text = String(decoding: head, as: UTF8.self)
        let start = text.drop { $0.isWhitespace || $0 == "\u{feff}" }
        return start.hasPrefix("<svg") || (start.hasPrefix("<?xml") || start.hasPrefix("<!")) && text.contains("<svg")
    }
}
