internal import Charsets

/// The texts of an ID3v2 frame, as UTF-8.
enum ID3Text {
    /// Decodes the texts by the encoding in the first byte; several are separated by zeros.
    ///
    /// - Parameter undeclared: Reads those that claim to be Latin-1, which writers take for any encoding.
    static func values(_ content: ArraySlice<UInt8>, _ undeclared: inout UndeclaredText) -> [ArraySlice<UInt8>] {
        guard let encoding = content.first else { return [] }
        let bytes = content.dropFirst()
        let text: ArraySlice<UInt8>
        switch encoding {
        case 0 where bytes.starts(with: [0xfe, 0xff]) || bytes.starts(with: [0xff, 0xfe]):
            // UTF-16 by its byte order mark, in spite of the encoding.
            text = utf8(ofUTF16: bytes, isBigEndian: false)[...]
        case 0: return trimmed(split(bytes).map { undeclared.utf8($0) })
        case 3: text = bytes
        case 1, 2: text = utf8(ofUTF16: bytes, isBigEndian: encoding == 2)[...]
        default: return []
        }
        return trimmed(split(text))
    }

    private static func split(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>] {
        bytes.split(separator: 0, maxSplits: 1000, omittingEmptySubsequences: false)
    }

    /// Removes empty texts at the end, which only terminate the one before.
    private static func trimmed(_ parts: [ArraySlice<UInt8>]) -> [ArraySlice<UInt8>] {
        var parts = parts
        while parts.count > 1, parts.last?.isEmpty == true { parts.removeLast() }
        return parts
    }

    /// UTF-16, in which each text may start with its own byte order mark.
    private static func utf8(ofUTF16 bytes: ArraySlice<UInt8>, isBigEndian: Bool) -> [UInt8] {
        var isBig = isBigEndian
        var isStart = true
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var place = bytes.startIndex
        while place + 1 < bytes.endIndex {
            let (low, high) = isBig ? (bytes[place + 1], bytes[place]) : (bytes[place], bytes[place + 1])
            let unit = UInt16(high) << 8 | UInt16(low)
            place += 2
            if isStart, unit == 0xfeff { continue }
            if isStart, unit == 0xfffe {
                isBig.toggle()
                continue
            }
            isStart = unit == 0
            units.append(unit)
        }
        var result: [UInt8] = []
        result.reserveCapacity(units.count)
        _ = transcode(units.makeIterator(), from: UTF16.self, to: UTF8.self, stoppingOnError: false) {
            result.append($0)
        }
        return result
    }
}
