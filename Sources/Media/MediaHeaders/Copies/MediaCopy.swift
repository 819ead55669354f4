internal import PictureValues

/// A copy of a picture or video for others: what its file shows and sounds like, and nothing that this tells beside that.
///
/// Where and when it was taken, the camera, titles, covers, tracks of other data and bytes that belong to nothing are zeros in
/// it. It has the file's length, so any part of it is read without the others. The encoded pictures and sound themselves are not
/// looked into.
package struct MediaCopy: Sendable, Hashable {
    package let mimeType: String
    private let mask: ByteMask

    /// More bytes than are read of a valid file to find what is to be hidden.
    static let longestReading = 256 << 20
    /// More parts than have to be hidden in a file: words for each picture of some hours.
    private static let mostParts = 400_000

    /// Reads the headers of an open file, which stays open.
    package init(of descriptor: Int32, size: Int) throws(MediaCopyError) {
        var window = ByteWindow()
        window.begin(descriptor, size: size, limit: Self.longestReading)
        try self.init(&window)
    }

    init(_ window: inout ByteWindow) throws(MediaCopyError) {
        do throws(MediaCopyError) {
            let count = min(PictureKind.headLength, window.size)
            let kind = PictureKind(head: window.load(0, count) ? Array(window[0..<count]) : [])
            switch window.bigEndian(4, 4) {
            case _ where kind.isPicture:
                mimeType = Self.mimeType(kind, &window)
                mask = try PictureMasker.mask(kind, &window)
            case fourCC("ftyp"), fourCC("moov"), fourCC("mdat"), fourCC("free"), fourCC("skip"), fourCC("wide"):
                let isOfQuickTime = !window.has("ftyp", at: 4) || window.has("qt  ", at: 8)
                mimeType = isOfQuickTime ? "video/quicktime" : "video/mp4"
                mask = try MovieMasker.mask(&window)
            default:
                guard window.bigEndian(0, 4) == MatroskaMasker.magic else { throw .unknownFormat }
                mimeType = MatroskaMasker.isWebM(&window) ? "video/webm" : "video/x-matroska"
                mask = try MatroskaMasker.mask(&window)
            }
        } catch {
            throw window.isExhausted ? .isTooLong : error
        }
        guard !window.isExhausted, mask.count <= Self.mostParts else { throw .isTooLong }
        guard window.failure == 0 else { throw .isDamaged }
    }

    /// Of a picture.
    private static func mimeType(_ kind: PictureKind, _ window: inout ByteWindow) -> String {
        switch kind {
        case .png: "image/png"
        case .webP: "image/webp"
        case .gif: "image/gif"
        case .heif: window.has("avif", at: 8) ? "image/avif" : "image/heic"
        default: "image/jpeg"
        }
    }

    /// Makes a piece of the file one of the copy.
    ///
    /// - Parameter offset: Of the piece in the file.
    package func apply(to bytes: inout [UInt8], at offset: Int) { mask.apply(to: &bytes, at: offset) }

    /// In bytes, of memory.
    package var cost: Int { mask.cost }
}

/// Why there can be no copy of a picture or video.
package enum MediaCopyError: Error, Sendable, Hashable, CustomStringConvertible {
    /// Not MP4, QuickTime, Matroska or WebM, nor JPEG, PNG, WebP, GIF, HEIC or AVIF of one picture.
    case unknownFormat
    /// Its index is spread over the file, as that of a stream is.
    case isFragmented
    /// It is cut off, or contradicts itself.
    case isDamaged
    case isTooLong
    /// Its pictures or its sound are in other files.
    case needsOtherFiles

    package var description: String {
        switch self {
        case .unknownFormat: "it is not MP4, QuickTime, Matroska or WebM"
        case .isFragmented: "it is fragmented MP4"
        case .isDamaged: "it is damaged"
        case .isTooLong: "its index is too long"
        case .needsOtherFiles: "its pictures or its sound are in other files"
        }
    }
}
