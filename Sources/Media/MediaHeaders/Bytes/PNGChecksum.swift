private import CZlib

/// The checksum of a PNG chunk (W3C's PNG, third edition, section 5.5).
enum PNGChecksum {
    private static let zeros = [UInt8](repeating: 0, count: 65_536)

    /// - Parameters:
    ///   - bytes: The chunk's type, and the beginning of its data.
    ///   - count: How many zeros follow.
    /// - Returns: Its four bytes.
    static func of(_ bytes: [UInt8], zeros count: Int) -> [UInt8] {
        var sum = unsafe crc32(0, bytes, UInt32(clamping: bytes.count))
        var left = count
        while left > 0 {
            let some = min(left, zeros.count)
            sum = unsafe crc32(sum, zeros, UInt32(clamping: some))
            left -= some
        }
        return (0..<4).map { UInt8(truncatingIfNeeded: sum >> (24 - 8 * UInt($0))) }
    }
}
