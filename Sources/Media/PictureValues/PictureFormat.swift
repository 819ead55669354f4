/// The formats in which a picture is written.
package enum PictureFormat: String, Sendable, Hashable, CaseIterable {
    case jpeg, png
    case webP = "webp"
    /// Bare RGBA rows, for terminals.
    case rgba

    /// By a file name's extension, in any case; `nil` when it is none of a picture.
    package init?(fileExtension: String) {
        switch fileExtension.lowercased() {
        case "jpg", "jpeg": self = .jpeg
        case "png": self = .png
        case "webp": self = .webP
        default: return nil
        }
    }

    package var fileExtension: String { self == .jpeg ? "jpg" : rawValue }

    package var mimeType: String { self == .rgba ? "application/octet-stream" : "image/" + rawValue }

    package var keepsAlpha: Bool { self != .jpeg }
}
