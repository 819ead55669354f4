/// mpc's format language for songs: `[%artist% - ]%title%|%file%`.
///
/// A part in brackets is left out unless a name in it has a value; `|` continues only if none was found so far, `&`
/// only if one was; `#` escapes the next character, and `\n` and the like are control characters.
struct SongFormat: Hashable {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    /// mpc's default format for playing songs.
    static let usual: SongFormat = {
        let artist = "[%artist%|%performer%|%composer%|%albumartist%]"
        return SongFormat("[%name%: &[\(artist) - ]%title%]|%name%|[\(artist) - ]%title%|%file%")
    }()

    /// The value of a name between percent signs.
    enum Value: Hashable {
        case text(String)
        /// A known name without a value for this song.
        case missing
        /// An unknown name, which is left as written.
        case unknown
    }

    /// Formats a song.
    ///
    /// - Returns: The text; empty when no name has a value.
    func text(_ value: (String) -> Value) -> String {
        var place = 0
        return String(decoding: expand(&place, value) ?? [], as: UTF8.self)
    }

    /// Expands up to the end of the group that starts at `place`.
    private func expand(_ place: inout Int, _ value: (String) -> Value) -> [UInt8]? {
        var result: [UInt8] = []
        var isFound = false
        while place < bytes.count {
            let byte = bytes[place]
            place += 1
            switch byte {
            case UInt8(ascii: "|"):
                if isFound { skip(&place) } else { result = [] }
            case UInt8(ascii: "&"):
                if isFound { isFound = false } else { skip(&place) }
            case UInt8(ascii: "["):
                if let inner = expand(&place, value) {
                    result += inner
                    isFound = true
                }
            case UInt8(ascii: "]"):
                // The end of a group; a stray one ends the format.
                return isFound ? result : nil
            case UInt8(ascii: "%"): appendValue(&place, &result, &isFound, value)
            case UInt8(ascii: "#"):
                if place < bytes.count {
                    result.append(bytes[place])
                    place += 1
                } else {
                    result.append(byte)
                }
            case UInt8(ascii: "\\"): appendEscape(&place, &result)
            default: result.append(byte)
            }
        }
        // A group that is never closed is not a group.
        return result
    }

    private func appendValue(
        _ place: inout Int,
        _ result: inout [UInt8],
        _ isFound: inout Bool,
        _ value: (String) -> Value
    ) {
        let isLetter = { (byte: UInt8) in (0x61...0x7a).contains(byte | 0x20) }
        let end = bytes[place...].firstIndex { !isLetter($0) } ?? bytes.count
        guard end < bytes.count, bytes[end] == UInt8(ascii: "%") else {
            result.append(UInt8(ascii: "%"))
            return
        }
        let name = String(decoding: bytes[place..<end], as: UTF8.self)
        switch value(name) {
        case .text(let text):
            result += Array(text.utf8)
            isFound = true
        case .missing: break
        case .unknown: result += bytes[(place - 1)...end]
        }
        place = end + 1
    }

    private func appendEscape(_ place: inout Int, _ result: inout [UInt8]) {
        guard place < bytes.count else {
            result.append(UInt8(ascii: "\\"))
            return
        }
        let byte = bytes[place]
        place += 1
        switch byte {
        case UInt8(ascii: "a"): result.append(7)
        case UInt8(ascii: "b"): result.append(8)
        case UInt8(ascii: "e"): result.append(27)
        case UInt8(ascii: "f"): result.append(12)
        case UInt8(ascii: "n"): result.append(10)
        case UInt8(ascii: "r"): result.append(13)
        case UInt8(ascii: "t"): result.append(9)
        case UInt8(ascii: "v"): result.append(11)
        case UInt8(ascii: "["), UInt8(ascii: "]"): result.append(byte)
        default:
            // Not an escape: the backslash is literal, and the next character is read normally.
            result.append(UInt8(ascii: "\\"))
            place -= 1
        }
    }

    /// Skips to the next `|`, `&` or `]` of this group.
    private func skip(_ place: inout Int) {
        var depth = 0
        while place < bytes.count {
            switch bytes[place] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "#"): if place + 1 < bytes.count { place += 1 }
            case UInt8(ascii: "]") where depth > 0: depth -= 1
            case UInt8(ascii: "|"), UInt8(ascii: "&"), UInt8(ascii: "]"): if depth == 0 { return }
            default: break
            }
            place += 1
        }
    }
}
