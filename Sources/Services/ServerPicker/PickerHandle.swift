internal import Cryptography
internal import TextEncodings

/// What a client gets for a file that was picked: it opens that file for this client, and tells nothing of it.
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
