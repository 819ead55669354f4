private import CZlib

/// Decompresses small data in zlib's form (RFC 1950), such as a profile in a PNG file.
enum Inflate {
    /// The first bytes of the decompressed data, as far as the compressed data is complete; its checksum is not looked at.
    ///
    /// - Parameter limit: How many bytes at most.
    static func bytes(_ input: [UInt8], limit: Int) -> [UInt8] {
        var deflated = Array(input.dropFirst(headerSize))
        let capacity = min(max(0, limit), deflated.count.multiplied(saturatingBy: highestRatio))
        var stream = unsafe z_stream()
        let size = unsafe Int32(clamping: MemoryLayout<z_stream>.size)
        guard capacity > 0, unsafe inflateInit2_(&stream, withoutHeader, ZLIB_VERSION, size) == Z_OK else { return [] }
        defer { unsafe inflateEnd(&stream) }
        return unsafe deflated.withUnsafeMutableBufferPointer { input in
            unsafe [UInt8](unsafeUninitializedCapacity: capacity) { output, count in
                unsafe stream.next_in = input.baseAddress
                unsafe stream.avail_in = UInt32(clamping: input.count)
                unsafe stream.next_out = output.baseAddress
                unsafe stream.avail_out = UInt32(clamping: capacity)
                unsafe _ = inflate(&stream, Z_FINISH)
                count = unsafe capacity - Int(stream.avail_out)
            }
        }
    }

    /// Of RFC 1950, in bytes.
    private static let headerSize = 2
    /// Tells zlib that there is neither a header nor a checksum.
    private static let withoutHeader: Int32 = -15
    /// How many bytes one byte of deflated data becomes at most (https://zlib.net/zlib_tech.html).
    private static let highestRatio = 1_032
}
