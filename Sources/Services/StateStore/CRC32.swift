internal import TextEncodings

/// The checksum of Ethernet, gzip and PNG (polynomial 0xEDB88320, reflected).
func crc32(_ bytes: some Sequence<UInt8>) -> UInt32 {
    ~bytes.reduce(~UInt32(0)) { sum, byte in (sum >> 8) ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] }
}

private let table: [UInt32] = (0..<256 as Range<UInt32>).map { index in
    (0..<8).reduce(index) { sum, _ in sum & 1 == 1 ? (sum >> 1) ^ 0xedb8_8320 : sum >> 1 }
}

/// A checksum as eight hexadecimal digits.
func checksumText(_ sum: UInt32) -> [UInt8] {
    Array(String(sum, digits: 8, radix: 16).utf8)
}
