/// A medium's bytes at any place, beside the demuxer that reads them in order.
protocol ByteAccess: AnyObject {
    /// In bytes.
    var size: Int { get }

    /// Whether a read costs no request over a network.
    var isLocal: Bool { get }

    /// Fills `bytes` from `offset` on.
    ///
    /// - Returns: How many bytes there were; fewer than asked only at the end, or when they cannot be had.
    func read(into bytes: inout [UInt8], count: Int, at offset: Int) -> Int

    /// How many seconds it will take to read so many bytes, as far as can be said.
    func seconds(toRead count: Int) -> Double
}

extension ByteAccess {
    /// The bytes at `offset`, at most `count`.
    func bytes(at offset: Int, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, min(count, size - offset)))
        let got = read(into: &bytes, count: bytes.count, at: offset)
        bytes.removeLast(bytes.count - got)
        return bytes
    }
}
