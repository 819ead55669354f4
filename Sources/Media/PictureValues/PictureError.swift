/// Why there is no picture; the description is what follows a file's name and a colon.
package enum PictureError: Error, Sendable, Hashable {
    /// A format that is known, but not read.
    case unsupported(String)
    case notAPicture
    case damaged(String)
    /// More pixels than are decoded.
    case tooLarge(PixelSize)
    /// More memory would be needed than a picture may have.
    case needsMemory(megabytes: Int)
    case noVideo
    /// A film ends before a moment, in seconds.
    case tooShort(Double, moment: Double)
    /// A film that can only be read in order does not go back.
    case cannotGoBack
    case system(String)
    /// In the words of the program that decodes.
    case reported(String)
    /// The program that decodes ended while it decoded this.
    case ended(String)
    case tookTooLong(seconds: Int)
    /// All who wanted it have left.
    case cancelled
}

extension PictureError: CustomStringConvertible {
    package var description: String {
        switch self {
        case .unsupported(let what): "\(what) is not supported"
        case .notAPicture: "is no picture and no film"
        case .damaged(let reason): "is damaged: \(reason)"
        case .tooLarge(let size):
            "is too large: \(size) pixels; at most \(PictureLimits.pixels / 1_000_000) million are decoded"
        case .needsMemory(let megabytes):
            "would need \(megabytes) MB to be decoded; at most \(PictureLimits.memory >> 20) MB are used"
        case .noVideo: "has no picture"
        case .tooShort(let duration, let moment): "lasts \(brief(duration)) s and shows nothing at \(brief(moment)) s"
        case .cannotGoBack: "shows no more moving pictures after a jump back, since the server sends no ranges"
        case .system(let reason), .reported(let reason): reason
        case .ended(let reason): "cannot be decoded: the decoder \(reason)"
        case .tookTooLong(let seconds): "takes longer than \(seconds) seconds to decode"
        case .cancelled: "is not wanted any more"
        }
    }
}

/// Seconds with a decimal where there is one.
private func brief(_ seconds: Double) -> String {
    let text = "\((seconds * 10).rounded() / 10)"
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}

/// The limits of one picture; checked by its header, before it is decoded.
package enum PictureLimits {
    /// 300 megapixels: more than cameras for buildings have.
    package static let pixels = 300_000_000
    /// Bytes of decoded samples at once.
    package static let memory = 512 << 20
    /// Seconds for one picture, and for one film.
    package static let seconds = 20

    package static func check(_ size: PixelSize) throws(PictureError) {
        guard size.pixelCount <= pixels else { throw .tooLarge(size) }
    }

    package static func check(bytes: Int) throws(PictureError) {
        guard bytes <= memory else { throw .needsMemory(megabytes: bytes >> 20) }
    }
}
