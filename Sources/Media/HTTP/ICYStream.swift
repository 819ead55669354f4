/// A body into which a SHOUTcast server puts what is on, after every so many bytes of sound.
///
/// A block is a byte that says how long it is, in units of 16 bytes, and its text; mostly it is empty.
package struct ICYStream: Sendable {
    /// Bytes of sound between two blocks.
    private let interval: Int
    /// Bytes of sound until the next block's length.
    private var untilBlock: Int
    /// Bytes that the block still misses.
    private var missing = 0
    private var block: [UInt8] = []

    /// - Parameter interval: What the server said in `icy-metaint`, from 1 on.
    package init(interval: Int) {
        precondition(interval > 0, "blocks are apart")
        self.interval = interval
        untilBlock = interval
        block.reserveCapacity(255 * 16)
    }

    /// Takes the blocks out of `bytes`, and moves the sound together.
    ///
    /// - Parameter found: Called for each block with something in it: what it says, and how many bytes of sound stand
    ///   before it in `bytes`.
    /// - Returns: How many bytes of sound there are.
    package mutating func strip(
        _ bytes: UnsafeMutableRawBufferPointer,
        found: (ICYMetadata, _ place: Int) -> Void
    ) -> Int {
        var kept = 0
        var index = 0
        while index < bytes.count {
            if missing > 0 {
                let count = min(missing, bytes.count - index)
                unsafe block.append(contentsOf: bytes[index..<index + count])
                missing -= count
                index += count
                if missing == 0, let metadata = ICYMetadata(block: block) { found(metadata, kept) }
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
