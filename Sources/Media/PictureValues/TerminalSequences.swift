/// The text that a decoder that reads hostile files may send to a terminal.
package enum TerminalSequences {
    private static let escape: UInt8 = 0x1b

    /// Whether text only draws: characters, their colours and places, and pictures.
    ///
    /// Titles, clipboards, questions that a terminal answers like one who types, and pictures of files that the terminal
    /// itself would open are refused.
    package static func onlyDraw(_ text: [UInt8]) -> Bool {
        var place = 0
        while place < text.count {
            switch text[place] {
            case escape:
                guard let next = end(of: text, place + 1) else { return false }
                place = next
            case 0x0a, 0x0d, 0x20...0x7e, 0xc3...0xf4, 0x80...0xbf: place += 1
            // Of what begins with C2, the control characters C1.
            case 0xc2:
                guard place + 1 < text.count, text[place + 1] >= 0xa0 else { return false }
                place += 2
            default: return false
            }
        }
        return true
    }

    /// Where a sequence ends that begins behind an escape character; `nil` for one that does more than draw.
    private static func end(of text: [UInt8], _ start: Int) -> Int? {
        guard start < text.count else { return nil }
        switch text[start] {
        case UInt8(ascii: "["):
            guard let end = text[(start + 1)...].firstIndex(where: { !(0x30...0x3b).contains($0) }),
                "mHABCDb".utf8.contains(text[end])
            else { return nil }
            return end + 1
        case UInt8(ascii: "P"): return endOfString(text, start + 1)
        case UInt8(ascii: "_"):
            guard let end = endOfString(text, start + 1), isKittys(text[(start + 1)..<end]) else { return nil }
            return end
        case UInt8(ascii: "]"):
            guard text[(start + 1)...].starts(with: "1337;File=".utf8) else { return nil }
            return endOfString(text, start + 1)
        default: return nil
        }
    }

    /// Where a string of printable characters ends, with its terminator.
    private static func endOfString(_ text: [UInt8], _ start: Int) -> Int? {
        guard let end = text[start...].firstIndex(where: { !(0x20...0x7e).contains($0) }) else { return nil }
        if text[end] == 0x07 { return end + 1 }
        return text[end] == escape && end + 1 < text.count && text[end + 1] == UInt8(ascii: "\\") ? end + 2 : nil
    }

    /// Whether it is a picture that comes with the text, not one that the terminal would read from a file.
    private static func isKittys(_ text: ArraySlice<UInt8>) -> Bool {
        guard text.first == UInt8(ascii: "G") else { return false }
        let control = text.dropFirst().prefix { $0 != UInt8(ascii: ";") }
        return control.split(separator: UInt8(ascii: ",")).allSatisfy { setting in
            setting.first != UInt8(ascii: "t")
                && (setting.first != UInt8(ascii: "a") || setting.elementsEqual("a=T".utf8))
        }
    }
}
