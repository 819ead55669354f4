internal import NIOCore
internal import NIOWebSocket

/// Puts the lines of a dialogue into the messages of a WebSocket: text frames, which a server does not mask (RFC 6455,
/// section 5).
///
/// A line may come in pieces; each is a frame, so that a long one needs no buffer.
struct WebSocketFraming {
    /// Whether a part of a message was sent.
    private var isInMessage = false

    mutating func frames(of bytes: [UInt8]) -> [UInt8] {
        var frames: [UInt8] = []
        frames.reserveCapacity(bytes.count + 16)
        var rest = bytes[...]
        while !rest.isEmpty {
            let end = rest.firstIndex(of: 0x0a)
            let piece = rest[..<(end ?? rest.endIndex)]
            frames.append(frame: isInMessage ? .continuation : .text, isLast: end != nil, piece)
            isInMessage = end == nil
            rest = rest[(end.map { $0 + 1 } ?? rest.endIndex)...]
        }
        return frames
    }

    /// A frame of the protocol itself.
    static func control(_ opcode: WebSocketOpcode, _ payload: [UInt8] = []) -> [UInt8] {
        var frames: [UInt8] = []
        frames.append(frame: opcode, isLast: true, payload[...])
        return frames
    }

    /// The frame that ends a connection.
    static func close(_ code: WebSocketErrorCode) -> [UInt8] {
        let number = UInt16(webSocketErrorCode: code)
        return control(.connectionClose, [UInt8(number >> 8), UInt8(number & 0xff)])
    }
}

extension [UInt8] {
    fileprivate mutating func append(frame opcode: WebSocketOpcode, isLast: Bool, _ payload: ArraySlice<UInt8>) {
        append((isLast ? 0x80 : 0) | UInt8(webSocketOpcode: opcode))
        switch payload.count {
        case ..<126: append(UInt8(payload.count))
        case ..<65_536:
            append(126)
            append(UInt8(payload.count >> 8))
            append(UInt8(payload.count & 0xff))
        default:
            append(127)
            for shift in stride(from: 56, through: 0, by: -8) { append(UInt8(payload.count >> shift & 0xff)) }
        }
        append(contentsOf: payload)
    }
}
