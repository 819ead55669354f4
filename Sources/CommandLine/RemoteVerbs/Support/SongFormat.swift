/// mpc's language for writing songs: `[%artist% - ]%title%|%file%`.
///
/// A part in brackets is left out unless something in it is known; `|` goes on only if nothing was found so far, `&`
/// only if something was; `#` takes the next character as it is, and `\n` and its like are control characters.
struct SongFormat: Hashable {
    private let bytes: [UInt8]

    init(_ text: String) { bytes = Array(text.utf8) }

    /// What mpc writes of songs that are played.
    static let usual: SongFormat = {
        let artist = "[%artist%|%performer%|%composer%|%albumartist%]"
        return SongFormat("[%name%: &[\(artist) - ]%title%]|%name%|[\(artist) - ]%title%|%file%")
    }()

    /// What stands for a name between percent signs.
    enum Value: Hashable {
        case text(String)
        /// A name that is known, of which this song has nothing.
        case missing
        /// Not a name at all; it stays as it is written.
        case unknown
    }

    /// Writes a song.
    ///
    /// - Returns: What it comes to; empty when nothing is known that it asks for.
    func text(_ value: (String) -> Value) -> String {
        var place = 0
        return String(decoding: expand(&place, value) ?? [], as: UTF8.self)
    }

    /// Expands up to the end of the group that begins at `place`.
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
                // The end of a group; one that was never begun ends it all.
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
        // A group that nobody ended is no group.
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
            // No escape: the backslash stands for itself, and what follows for whatever it is.
            result.append(UInt8(ascii: "\\"))
            place -= 1
        }
    }

    /// Goes to the next `|`, `&` or `]` of this group.
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
