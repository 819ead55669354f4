extension FixedWidthInteger {
    /// The number that bytes are, the most significant first; of too many, the last ones count.
    @inlinable package init(bigEndian bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
    }

    /// The number that bytes are, the least significant first; of too many, the first ones count.
    @inlinable package init(littleEndian bytes: some BidirectionalCollection<UInt8>) {
        self.init(bigEndian: bytes.reversed())
    }
}
