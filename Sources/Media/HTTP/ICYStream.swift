/// A body into which a SHOUTcast server inserts metadata, after a fixed number of bytes of sound.
///
/// A block is a byte with its length, in units of 16 bytes, and its text; most are empty.
package struct ICYStream: Sendable {
    /// Bytes of sound between two blocks.
    private let interval: Int
    /// Bytes of sound until the next block's length.
    private var untilBlock: Int
    /// Bytes missing from the current block.
    private var missing = 0
    private var block: [UInt8] = []

    /// - Parameter interval: The value of `icy-metaint`, from 1 on.
    package init(interval: Int) {
        precondition(interval > 0, "blocks are apart")
        self.interval = interval
        untilBlock = interval
        block.reserveCapacity(255 * 16)
    }

    /// Removes the blocks from `bytes`, and closes the gaps.
    ///
    /// - Parameter found: Called for each complete block with its bytes, and the number of bytes of sound before it
    ///   in `bytes`.
    /// - Returns: The number of bytes of sound.
    package mutating func strip(
        _ bytes: UnsafeMutableRawBufferPointer,
        found: (_ block: [UInt8], _ place: Int) -> Void
    ) -> Int {
        var kept = 0
        var index = 0
        while index < bytes.count {
            if missing > 0 {
                let count = min(missing, bytes.count - index)
                unsafe block.append(contentsOf: bytes[index..<index + count])
                missing -= count
                index += count
                if missing == 0 { found(block, kept) }
            } else if untilBlock == 0 {
                missing = unsafe Int(bytes[index]) * 16
                index += 1
                untilBlock = interval
                block.removeAll(keepingCapacity: true)
            } else {
                let count = min(untilBlock, bytes.count - index)
                if index != kept, let base = bytes.baseAddress {
                    unsafe (base + kept).copyMemory(from: base + index, byteCount: count)
                }
                kept += count
                index += count
                untilBlock -= count
            }
        }
        return kept
    }
}
