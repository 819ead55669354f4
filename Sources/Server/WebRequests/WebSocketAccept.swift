internal import Cryptography
internal import TextEncodings

/// The answer to a WebSocket's key (RFC 6455, section 4.2.2).
package func webSocketAccept(of key: String) -> String {
    let text = key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
    return String(decoding: Base64.encoded(sha1(of: Array(text.utf8))), as: UTF8.self)
}
