/// Creates decryptors for segments.
package protocol SegmentDecryptorFactory {
    /// - Parameters:
    ///   - key: 16 bytes.
    ///   - iv: 16 bytes.
    /// - Returns: `nil` when out of memory.
    func makeDecryptor(key: [UInt8], iv: [UInt8]) -> (any SegmentDecryptor)?
}

/// AES-128 in CBC mode over one segment from its start.
package protocol SegmentDecryptor: AnyObject {
    /// Decrypts the next blocks in place; padding is handled by the caller.
    ///
    /// - Parameter blocks: A multiple of 16 bytes.
    func decrypt(_ blocks: UnsafeMutableRawBufferPointer)
}
