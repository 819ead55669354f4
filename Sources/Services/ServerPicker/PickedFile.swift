package import Files
package import LibraryIndex
package import PictureValues

/// A file that the owner has chosen: the one that was there at that moment, and none that takes its place.
package struct PickedFile: Sendable, Hashable {
    package let medium: LibraryMedium
    private let identity: FileStatus.Identity
    private let size: Int
    private let modified, changed: Int64

    /// - Parameter status: Of the file, when it was chosen.
    package init(_ medium: LibraryMedium, _ status: FileStatus) {
        self.medium = medium
        (identity, size) = (status.identity, status.size)
        (modified, changed) = (status.modified, status.changed)
    }

    /// Whether a file is the one that was chosen, and has not been written to since.
    package func isSame(as status: FileStatus) -> Bool {
        status.identity == identity && status.size == size && status.modified == modified && status.changed == changed
    }

    /// The longest side of a copy of it, in pixels: a copy has all its pixels, up to ``mostPixels`` and ``longestSide``.
    package var copySide: Int {
        guard let size = medium.dimensions else { return Int(saturating: Double(Self.mostPixels).squareRoot()) }
        let scale = min(1, (Double(Self.mostPixels) / Double(size.pixelCount)).squareRoot())
        return min(Self.longestSide, max(1, Int(saturating: Double(size.longestSide) * scale)))
    }

    /// The size of a copy; `nil` when it is not known.
    package var copySize: PixelSize? { medium.dimensions?.fitted(within: copySide) }

    /// As many as cameras' pictures have; the sandbox takes twelve bytes for each.
    private static let mostPixels = 24_000_000
    private static let longestSide = 16_384
    /// A copy's quality as a JPEG, 1 to 100.
    package static let copyQuality = 92

    /// A name for a copy of it, without its folder.
    ///
    /// - Parameter suffix: Of the copy's format, in place of its own.
    package func suggestedName(_ suffix: String) -> String {
        let name = medium.uri.split(separator: "/").last.map(String.init) ?? ""
        let stem = name.lastIndex(of: ".").map { name[..<$0] } ?? name[...]
        return "\(stem.isEmpty ? "picture" : stem).\(suffix)"
    }
}
