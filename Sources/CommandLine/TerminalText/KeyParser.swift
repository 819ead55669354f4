/// A key as a terminal sends it.
package enum Key: Sendable, Hashable {
    case character(Character)
    case enter
    case tab
    case backspace
    case up
    case down
    case left
    case right
    case home
    case end
    case pageUp
    case pageDown
    case escape
    /// An unbound key, or one with a modifier.
    case other
}

/// Parses a terminal's input into keys.
///
/// Sequences may arrive in any pieces. Escape alone is a key only once it is clear that no sequence follows, that is
/// with the next byte, or when none comes for a moment (``endEscape()``). Pasted text between bracketed-paste marks is
/// ignored, as is malformed input.
package struct KeyParser: Sendable {
    private enum State {
        case ground
        case escape
        /// After `ESC O`.
        case singleShift
        /// After `ESC [`, with the bytes so far.
        case control([UInt8])
        /// After `ESC [ [`, the Linux console's function keys.
        case consoleFunction
        /// After `ESC ]`, `ESC P` and the like, up to `ESC \` or BEL.
        case string(endsAfterEscape: Bool)
        /// Inside a character of more than one byte.
        case character([UInt8], missing: Int)
        /// Between the marks of a bracketed paste, with how much of the closing mark has matched.
        case paste(matched: Int)
    }

    /// Longer control sequences are not keys.
    private static let limit = 32
    private static let pasteEnd: [UInt8] = [0x1b, 0x5b, 0x32, 0x30, 0x31, 0x7e]

    private var state = State.ground

    package init() {}

    /// The keys completed by `bytes`.
    package mutating func parse(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            if let key = parse(byte) { keys.append(key) }
        }
        return keys
    }

    /// Whether the last byte was an Escape, which may be a key or the beginning of a sequence.
    package var isAfterEscape: Bool { if case .escape = state { true } else { false } }

    /// Takes Escape for a key, when nothing has followed it.
    package mutating func endEscape() -> Key? {
        guard isAfterEscape else { return nil }
        state = .ground
        return .escape
    }

    private mutating func parse(_ byte: UInt8) -> Key? {
        switch state {
        case .ground: return ground(byte)
        case .escape: return escape(byte)
        case .singleShift:
            state = .ground
            return byte == 0x1b ? ground(byte) : Self.cursorKey(byte)
        case .control(let bytes): return control(byte, after: bytes)
        case .consoleFunction:
            state = .ground
            return .other
        case .string(let endsAfterEscape):
            let isOver = byte == 0x07 || byte == 0x18 || byte == 0x1a || (endsAfterEscape && byte == 0x5c)
            state = isOver ? .ground : .string(endsAfterEscape: byte == 0x1b)
            return nil
        case .character(let bytes, let missing): return character(byte, after: bytes, missing: missing)
        case .paste(let matched):
            paste(byte, matched: matched)
            return nil
        }
    }

    private mutating func ground(_ byte: UInt8) -> Key? {
        state = .ground
        switch byte {
        case 0x1b:
            state = .escape
            return nil
        case 0x0a, 0x0d: return .enter
        case 0x09: return .tab
        case 0x08, 0x7f: return .backspace
        case 0x20...0x7e: return .character(Character(Unicode.Scalar(byte)))
        case 0xc2...0xdf: state = .character([byte], missing: 1)
        case 0xe0...0xef: state = .character([byte], missing: 2)
        case 0xf0...0xf4: state = .character([byte], missing: 3)
        default: break
        }
        return nil
    }

    private mutating func escape(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x1b: return nil
        case UInt8(ascii: "["): state = .control([])
        case UInt8(ascii: "O"): state = .singleShift
        case UInt8(ascii: "]"), UInt8(ascii: "P"), UInt8(ascii: "^"), UInt8(ascii: "_"), UInt8(ascii: "X"):
            state = .string(endsAfterEscape: false)
        default:
            state = .ground
            return .other
        }
        return nil
    }

    private mutating func control(_ byte: UInt8, after bytes: [UInt8]) -> Key? {
        switch byte {
        case 0x1b: state = .escape
        case 0x18, 0x1a: state = .ground
        case UInt8(ascii: "[") where bytes.isEmpty: state = .consoleFunction
        case 0x20...0x3f:
            // Only the end of a sequence that is too long matters.
            state = .control(bytes.count < Self.limit ? bytes + [byte] : bytes)
        case 0x40...0x7e:
            let isPaste = byte == UInt8(ascii: "~") && bytes == Array("200".utf8)
            state = isPaste ? .paste(matched: 0) : .ground
            return isPaste ? nil : Self.controlKey(byte, bytes)
        default: state = .ground
        }
        return nil
    }

    private mutating func character(_ byte: UInt8, after bytes: [UInt8], missing: Int) -> Key? {
        guard (0x80...0xbf).contains(byte) else { return ground(byte) }
        let bytes = bytes + [byte]
        guard missing == 1 else {
            state = .character(bytes, missing: missing - 1)
            return nil
        }
        state = .ground
        return String(validating: bytes, as: UTF8.self).flatMap(\.first).map(Key.character)
    }

    private mutating func paste(_ byte: UInt8, matched: Int) {
        let next = byte == Self.pasteEnd[matched] ? matched + 1 : byte == Self.pasteEnd[0] ? 1 : 0
        state = next == Self.pasteEnd.count ? .ground : .paste(matched: next)
    }

    private static func controlKey(_ final: UInt8, _ parameters: [UInt8]) -> Key {
        guard final == UInt8(ascii: "~") else { return parameters.isEmpty ? cursorKey(final) : .other }
        return switch String(decoding: parameters, as: UTF8.self) {
        case "1", "7": .home
        case "4", "8": .end
        case "5": .pageUp
        case "6": .pageDown
        default: .other
        }
    }

    private static func cursorKey(_ final: UInt8) -> Key {
        switch final {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        case UInt8(ascii: "H"): .home
        case UInt8(ascii: "F"): .end
        case UInt8(ascii: "M"): .enter
        default: .other
        }
    }
}
