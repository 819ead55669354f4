/// A title as it is sent within a stream: a length in units of 16 bytes, then the text, filled up with zeros.
enum ICYTitle {
    /// Sent where the title is still the same.
    static let unchanged: [UInt8] = [0]

    static func block(_ title: String) -> [UInt8] {
        // Characters that would end the text.
        let inner = title.onOneLine.split(separator: "';", omittingEmptySubsequences: false).joined(separator: "’;")
        var text = "StreamTitle='"
        for character in inner {
            guard text.utf8.count + String(character).utf8.count <= longest else { break }
            text.append(character)
        }
        text += "';"
        let units = (text.utf8.count + 15) / 16
        return [UInt8(units)] + Array(text.utf8) + Array(repeating: 0, count: units * 16 - text.utf8.count)
    }

    /// Bytes of a text without its end: the length has one byte.
    private static let longest = 255 * 16 - 2
}
