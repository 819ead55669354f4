internal import Cryptography
internal import TextEncodings

/// The client's key to a file that was picked; it tells nothing of the file.
package struct PickerHandle: Sendable, Hashable {
    private let bytes: [UInt8]

    private static let size = 16

    /// A new one, which cannot be guessed.
    init() { bytes = .random(count: Self.size) }

    /// - Returns: `nil` for what ``text`` never is.
    package init?(_ text: String) {
        guard text.utf8.count == 2 * Self.size, let bytes = [UInt8](hexadecimal: text) else { return nil }
        self.bytes = bytes
    }

    /// 32 hexadecimal digits.
    package var text: String { bytes.hexadecimal }
}
