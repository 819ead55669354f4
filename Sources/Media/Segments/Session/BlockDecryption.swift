/// Decrypts a segment's bytes as they arrive (RFC 8216, section 4.3.2.4).
///
/// The last block's padding gives its actual length; so one block is held back until it is known not to be the last.
struct BlockDecryption {
    private static let block = 16

    private let decryptor: any SegmentDecryptor
    private var buffer = [UInt8](repeating: 0, count: 32 << 10)
    /// The part of the buffer that is decrypted and not consumed yet.
    private var plain = 0..<0
    /// The part that is still encrypted.
    private var cipher = 0..<0
    private(set) var hasEnded = false

    init(_ decryptor: any SegmentDecryptor) { self.decryptor = decryptor }

    /// Copies decrypted bytes, if there are any.
    mutating func take(into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(plain.count, target.count)
        unsafe buffer.withUnsafeBytes { bytes in
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[plain.prefix(count)]))
        }
        plain = plain.dropFirst(count)
        return count
    }

    /// Reads more encrypted bytes; only after all decrypted ones were consumed.
    ///
    /// - Parameter read: Fills a buffer and returns the number of bytes; 0 is the end.
    mutating func fill<Failure: Error>(
        _ read: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
    ) throws(Failure) {
        moveToFront()
        let start = cipher.upperBound
        let outcome = unsafe buffer.withUnsafeMutableBytes { bytes in
            Result { () throws(Failure) -> Int in
                try unsafe read(UnsafeMutableRawBufferPointer(rebasing: bytes[start...]))
            }
        }
        let count = try outcome.get()
        cipher = cipher.lowerBound..<start + count
        if count == 0 { end() } else { decrypt(upTo: max(cipher.count - 1, 0) / Self.block * Self.block) }
    }

    private mutating func moveToFront() {
        guard cipher.lowerBound > 0 else { return }
        buffer.replaceSubrange(0..<cipher.count, with: Array(buffer[cipher]))
        cipher = 0..<cipher.count
        plain = 0..<0
    }

    private mutating func decrypt(upTo count: Int) {
        guard count > 0 else { return }
        let blocks = cipher.prefix(count)
        unsafe buffer.withUnsafeMutableBytes { bytes in
            unsafe decryptor.decrypt(UnsafeMutableRawBufferPointer(rebasing: bytes[blocks]))
        }
        plain = blocks
        cipher = cipher.dropFirst(count)
    }

    /// An incomplete block at the end is not part of the segment.
    private mutating func end() {
        hasEnded = true
        decrypt(upTo: cipher.count / Self.block * Self.block)
        guard let last = plain.last else { return }
        let padding = Int(buffer[last])
        if (1...Self.block).contains(padding) { plain = plain.dropLast(padding) }
    }
}
