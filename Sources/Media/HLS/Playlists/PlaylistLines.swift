internal import Segments

/// A playlist's non-empty lines, without white space at their ends.
///
/// LF, CR and CR LF end a line; a byte order mark is not part of the first.
struct PlaylistLines: Sequence, IteratorProtocol {
    struct Line {
        /// From 1.
        let number: Int
        let bytes: ArraySlice<UInt8>
        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    private let bytes: [UInt8]
    private var position: Int
    private var number = 0

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
        position = bytes.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
    }

    mutating func next() -> Line? {
        while position < bytes.endIndex {
            let start = position
            var end = start
            while end < bytes.endIndex, bytes[end] != .lineFeed, bytes[end] != .carriageReturn { end += 1 }
            position = end + 1
            if end < bytes.endIndex, bytes[end] == .carriageReturn, position < bytes.endIndex,
                bytes[position] == .lineFeed
            {
                position += 1
            }
            number += 1
            let content = bytes[start..<end].trimmed
            if !content.isEmpty { return Line(number: number, bytes: content) }
        }
        return nil
    }
}

/// A line that starts with `#`: `#NAME:VALUE`.
struct PlaylistTag {
    let name: String
    let value: ArraySlice<UInt8>
    let line: Int

    init(_ line: PlaylistLines.Line) {
        let colon = line.bytes.firstIndex(of: .colon) ?? line.bytes.endIndex
        // No tag's name is longer; comments may have any length.
        name = String(decoding: line.bytes[..<colon].prefix(40), as: UTF8.self)
        value = line.bytes[colon...].dropFirst().trimmed
        self.line = line.number
    }
}

/// Limits of a playlist; exceeding them is an error.
enum PlaylistLimits {
    /// Bytes of a document.
    static let bytes = 16 << 20
    /// Bytes of a line: URLs contain long tokens, and may contain keys.
    static let line = 65_536
    /// Segments of a media playlist: nine days of four seconds each.
    static let segments = 200_000
    /// Variants, and renditions, of a master playlist.
    static let variants = 1_000
    static let attributes = 64
    static let variables = 256
}
