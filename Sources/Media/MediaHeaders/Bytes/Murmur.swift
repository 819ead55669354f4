/// MurmurHash3's variant of 128 bits for 64-bit machines (Austin Appleby, public domain).
///
/// Of the hashes without a secret it is among the fastest and smallest, gives 128 bits in one pass, and has published
/// test values. There is nothing to gain from making two files collide: copying one has the same effect.
enum Murmur {
    /// The two halves of the hash of some bytes.
    static func hash(_ bytes: [UInt8], seed: UInt32 = 0) -> (UInt64, UInt64) {
        unsafe bytes.withUnsafeBytes { unsafe hash($0, seed: seed) }
    }

    private static func hash(_ bytes: UnsafeRawBufferPointer, seed: UInt32) -> (UInt64, UInt64) {
        var (first, second) = (UInt64(seed), UInt64(seed))
        let whole = bytes.count & ~15
        for place in stride(from: 0, to: whole, by: 16) {
            first ^= scrambledFirst(
                UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            )
            first = (rotated(first, 27) &+ second) &* 5 &+ 0x52dc_e729
            second ^= scrambledSecond(
                UInt64(littleEndian: unsafe bytes.loadUnaligned(fromByteOffset: place + 8, as: UInt64.self))
            )
            second = (rotated(second, 31) &+ first) &* 5 &+ 0x3849_5ab5
        }
        var (low, high): (UInt64, UInt64) = (0, 0)
        for place in whole..<bytes.count {
            let byte = unsafe UInt64(bytes[place])
            let index = place - whole
            if index < 8 { low |= byte << (8 * index) } else { high |= byte << (8 * (index - 8)) }
        }
        if bytes.count - whole > 8 { second ^= scrambledSecond(high) }
        if bytes.count > whole { first ^= scrambledFirst(low) }
        first ^= UInt64(bytes.count)
        second ^= UInt64(bytes.count)
        first &+= second
        second &+= first
        first = finished(first)
        second = finished(second)
        first &+= second
        second &+= first
        return (first, second)
    }

    private static func scrambledFirst(_ word: UInt64) -> UInt64 {
        rotated(word &* 0x87c3_7b91_1142_53d5, 31) &* 0x4cf5_ad43_2745_937f
    }

    private static func scrambledSecond(_ word: UInt64) -> UInt64 {
        rotated(word &* 0x4cf5_ad43_2745_937f, 33) &* 0x87c3_7b91_1142_53d5
    }

    private static func rotated(_ word: UInt64, _ count: UInt64) -> UInt64 { word << count | word >> (64 - count) }

    private static func finished(_ word: UInt64) -> UInt64 {
        var word = word
        word = (word ^ word >> 33) &* 0xff51_afd7_ed55_8ccd
        word = (word ^ word >> 33) &* 0xc4ce_b9fe_1a85_ec53
        return word ^ word >> 33
    }
}
