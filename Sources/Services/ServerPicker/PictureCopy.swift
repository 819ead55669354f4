package import LibraryIndex
package import PictureValues
internal import TextEncodings

/// The copy of a picked picture that a client gets: a JPEG of its pixels, up to ``mostPixels`` and ``longestSide``.
package struct PictureCopy: Sendable, Hashable {
    /// The longest side, in pixels.
    package let side: Int
    /// `nil` when the picture's is not known.
    package let size: PixelSize?
    /// Without a folder.
    package let name: String

    /// As many as cameras' pictures have; the sandbox takes twelve bytes for each.
    private static let mostPixels = 24_000_000
    private static let longestSide = 16_384
    /// As a JPEG, 1 to 100.
    package static let quality = 92

    package init(of medium: LibraryMedium) {
        if let original = medium.dimensions {
            let scale = min(1, (Double(Self.mostPixels) / Double(original.pixelCount)).squareRoot())
            side = min(Self.longestSide, max(1, Int(saturating: Double(original.longestSide) * scale)))
        } else {
            side = Int(saturating: Double(Self.mostPixels).squareRoot())
        }
        let side = side
        size = medium.dimensions.map { $0.fitted(within: side) }
        let original = medium.uri.lastPathComponent
        let stem = original.lastIndex(of: ".").map { original[..<$0] } ?? original[...]
        name = "\(stem.isEmpty ? "picture" : stem).jpg"
    }
}
