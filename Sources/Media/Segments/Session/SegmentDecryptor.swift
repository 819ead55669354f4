/// Makes what decrypts a segment.
package protocol SegmentDecryptorFactory {
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - iv: 16 bytes.
    /// - Returns: `nil` when there is no memory.
    func makeDecryptor(key: [UInt8], iv: [UInt8]) -> (any SegmentDecryptor)?
}

/// AES-128 in CBC mode over one segment from its beginning.
package protocol SegmentDecryptor: AnyObject {
    /// Decrypts the blocks that follow, in place; padding is not its matter.
    ///
    /// - Parameter blocks: A multiple of 16 bytes.
    func decrypt(_ blocks: UnsafeMutableRawBufferPointer)
}
