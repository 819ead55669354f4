/// An APE tag, version 2 (or 1), at a file's end: WavPack, Monkey's Audio, Musepack, some MP3.
enum APEComments {
    /// `nil` when there is none.
    static func read(_ source: borrowing TagSource) -> [(String, String)]? {
        // An ID3v1 tag may come behind it.
        for end in [source.size, source.size - 128] {
            let footer = source.bytes(at: end - 32, count: 32)
            guard footer.starts(with: "APETAGEX".utf8) else { continue }
            let size = footer.littleEndian(at: 12)
            let count = footer.littleEndian(at: 16)
            guard (32...TagSource.limit).contains(size), size <= end else { return nil }
            return parse(source.bytes(at: end - size, count: size - 32), count: min(count, 65_536))
        }
        return nil
    }

    private static func parse(_ bytes: [UInt8], count: Int) -> [(String, String)] {
        var comments: [(String, String)] = []
        var place = 0
        for _ in 0..<count {
            let length = bytes.littleEndian(at: place)
            let flags = bytes.littleEndian(at: place + 4)
            guard place + 8 <= bytes.count, let end = bytes[(place + 8)...].firstIndex(of: 0),
                length <= bytes.count - end - 1
            else { break }
            let name = String(decoding: bytes[place + 8..<end], as: UTF8.self)
            let value = bytes[end + 1..<end + 1 + length]
            place = end + 1 + length
            // Bits 1 and 2 tell text from bytes and links.
            guard flags & 6 == 0 else { continue }
            for part in value.split(separator: 0) { comments.append((name, String(decoding: part, as: UTF8.self))) }
        }
        return comments
    }
}
