/// One line of a text, without its end.
package struct TextLine {
    /// From 1.
    let number: Int
    package let bytes: ArraySlice<UInt8>
}

/// A text's lines: LF, CR and CR LF all end one.
package struct TextLines: Sequence, IteratorProtocol {
    private let bytes: [UInt8]
    private var position = 0
    private var number = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    package mutating func next() -> TextLine? {
        guard position < bytes.endIndex else { return nil }
        let start = position
        var end = start
        while end < bytes.endIndex, bytes[end] != .lineFeed, bytes[end] != .carriageReturn { end += 1 }
        position = end + 1
        if end < bytes.endIndex, bytes[end] == .carriageReturn, position < bytes.endIndex, bytes[position] == .lineFeed
        {
            position += 1
        }
        number += 1
        return TextLine(number: number, bytes: bytes[start..<end])
    }
}
