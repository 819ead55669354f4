/// The parts of a GIF file (GIF89a, sections 15 to 27).
enum GIFBlocks {
    /// How many pieces of data of up to 255 bytes are passed over.
    private static let pieceLimit = 65_536

    /// The size of a table of colours, in bytes, by the flags before it.
    static func colourTable(_ flags: Int) -> Int { flags & 0x80 == 0 ? 0 : 3 << ((flags & 7) + 1) }

    /// The place behind data in pieces, the last of which is empty; `nil` if they do not end.
    static func end(of start: Int, _ window: inout ByteWindow) -> Int? {
        var place = start
        for _ in 0..<pieceLimit {
            guard let length = window.bigEndian(place, 1) else { return nil }
            place += 1 + length
            if length == 0 { return place }
        }
        return nil
    }
}
