/// Parts of a resource that are kept, because whoever opens a medium comes back to them: the beginning, the end, and what
/// was read beside the reading.
struct ByteCache: Sendable {
    /// Bytes kept of the beginning.
    static let headLimit = 512 << 10
    /// Bytes kept of other parts, the latest.
    static let piecesLimit = 512 << 10

    private struct Piece: Sendable {
        var start: Int
        var bytes: [UInt8]
        var end: Int { start + bytes.count }
    }

    private var head: [UInt8] = []
    private var pieces: [Piece] = []

    /// Keeps what was read in order, as far as it belongs to the beginning.
    mutating func note(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset <= head.count, head.count < Self.headLimit, offset + bytes.count > head.count else { return }
        let known = head.count - offset
        let count = min(bytes.count - known, Self.headLimit - head.count)
        unsafe head.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[known..<known + count]))
    }

    /// Keeps a part.
    mutating func keep(_ bytes: [UInt8], at offset: Int) {
        guard !bytes.isEmpty, bytes.count <= Self.piecesLimit else { return }
        pieces.append(Piece(start: offset, bytes: bytes))
        while pieces.reduce(0, { $0 + $1.bytes.count }) > Self.piecesLimit { pieces.removeFirst() }
    }

    mutating func removeAll() { self = ByteCache() }

    /// Copies what is there from `offset` on.
    ///
    /// - Returns: How many bytes.
    func copy(at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        if offset < head.count { return unsafe Self.copy(head, from: offset, into: target) }
        for piece in pieces.reversed() where (piece.start..<piece.end).contains(offset) {
            return unsafe Self.copy(piece.bytes, from: offset - piece.start, into: target)
        }
        return 0
    }

    /// All of a part; `nil` when some of it is not there.
    func bytes(at offset: Int, count: Int) -> [UInt8]? {
        if offset + count <= head.count { return Array(head[offset..<offset + count]) }
        for piece in pieces.reversed() where piece.start <= offset && offset + count <= piece.end {
            return Array(piece.bytes[offset - piece.start..<offset - piece.start + count])
        }
        return nil
    }

    private static func copy(_ bytes: [UInt8], from start: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        let count = min(target.count, bytes.count - start)
        unsafe bytes.withUnsafeBytes {
            unsafe target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[start..<start + count]))
        }
        return count
    }
}
