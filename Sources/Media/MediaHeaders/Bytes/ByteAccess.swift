/// Random access to a medium's bytes, besides the demuxer that reads them in order.
package protocol ByteAccess: AnyObject {
    /// In bytes.
    var size: Int { get }

    /// Whether a read costs no request over a network.
    var isLocal: Bool { get }

    /// Fills `bytes` from `offset` on.
    ///
    /// - Returns: The number of bytes read; fewer than requested only at the end, or when they are unavailable.
    func read(into bytes: inout [UInt8], count: Int, at offset: Int) -> Int

    /// The estimated seconds to read so many bytes.
    func seconds(toRead count: Int) -> Double
}

extension ByteAccess {
    /// The bytes at `offset`, at most `count`.
    package func bytes(at offset: Int, count: Int) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: max(0, min(count, size - offset)))
        let got = read(into: &bytes, count: bytes.count, at: offset)
        bytes.removeLast(bytes.count - got)
        return bytes
    }
}
