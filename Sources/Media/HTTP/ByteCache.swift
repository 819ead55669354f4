/// Cached parts of a resource, which are often needed again when a medium is opened: the start, the end, and parts read
/// out of order.
struct ByteCache: Sendable {
    /// Bytes cached of the start.
    static let headLimit = 512 << 10
    /// Bytes cached of other parts, the latest ones.
    static let piecesLimit = 512 << 10

    private struct Piece: Sendable {
        var start: Int
        var bytes: [UInt8]
        var end: Int { start + bytes.count }
    }

    private var head: [UInt8] = []
    private var pieces: [Piece] = []

    /// Caches bytes read in order, as far as they belong to the start.
    mutating func store(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        guard offset <= head.count, head.count < Self.headLimit, offset + bytes.count > head.count else { return }
        let known = head.count - offset
        let count = min(bytes.count - known, Self.headLimit - head.count)
        unsafe head.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[known..<known + count]))
    }

    /// Caches a part.
    mutating func keep(_ bytes: [UInt8], at offset: Int) {
        guard !bytes.isEmpty, bytes.count <= Self.piecesLimit else { return }
        pieces.append(Piece(start: offset, bytes: bytes))
        while pieces.reduce(0, { $0 + $1.bytes.count }) > Self.piecesLimit { pieces.removeFirst() }
    }

    mutating func removeAll() { self = ByteCache() }

    /// Copies the cached bytes from `offset` on.
    ///
    /// - Returns: The number of bytes.
    func copy(at offset: Int, into target: UnsafeMutableRawBufferPointer) -> Int {
        if offset < head.count { return unsafe Self.copy(head, from: offset, into: target) }
        for piece in pieces.reversed() where (piece.start..<piece.end).contains(offset) {
            return unsafe Self.copy(piece.bytes, from: offset - piece.start, into: target)
        }
        return 0
    }

    /// All of a part; `nil` when some of it is not cached.
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
