private import PictureValues
internal import TextEncodings

/// The requests of a source client, as Icecast 2.4 and later take them.
struct IcecastRequest: Sendable, Hashable {
    let settings: IcecastSettings

    /// The head of the request, before the stream.
    var source: String {
        var text = "PUT \(settings.mount.onOneLine) HTTP/1.1\r\n" + common
        text += "Content-Type: \(settings.encoding.codec.contentType)\r\nExpect: 100-continue\r\n"
        text += "Ice-Public: \(settings.isPublic ? 1 : 0)\r\n" + settings.texts.fields(prefix: "Ice").lines
        if let rate = settings.encoding.nominalBitRate { text += "Ice-Bitrate: \(rate / 1_000)\r\n" }
        return text + "\r\n"
    }

    /// Tells a title, where the stream itself cannot.
    ///
    /// Without a character set the server passes its bytes on; with one it makes Latin-1 of them.
    func title(_ title: String) -> String {
        let query = "mode=updinfo&mount=\(Self.escaped(settings.mount))&song=\(Self.escaped(title))"
        return "GET /admin/metadata?\(query) HTTP/1.0\r\n" + common + "\r\n"
    }

    private var common: String {
        let secret = String(
            decoding: Base64.encoded(Array("\(settings.user):\(settings.password)".utf8)),
            as: UTF8.self
        )
        return
            "Host: \(settings.host.onOneLine):\(settings.port)\r\nAuthorization: Basic \(secret)\r\nUser-Agent: Segue\r\n"
    }

    private static func escaped(_ text: String) -> String {
        ByteEscape.percent.encode(text.utf8.prefix(longestTitle), keeping: \.isASCIIAlphanumeric)
    }

    private static let longestTitle = 1_024
}

/// A server's response to a source, as far as it has come.
enum IcecastResponse: Sendable, Hashable {
    case incomplete
    case accepted
    case refused(String)

    /// Bytes of a response at most.
    static let limit = 4_096

    init(_ bytes: [UInt8]) {
        let text = String(decoding: bytes, as: UTF8.self)
        guard let end = text.firstIndex(where: { $0.isNewline }) else {
            self = bytes.count > Self.limit ? .refused("it is no Icecast server") : .incomplete
            return
        }
        let words = text[..<end].split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[0].hasPrefix("HTTP/"), let status = Int(words[1]) else {
            self = .refused("it is no Icecast server")
            return
        }
        switch status {
        case 100, 200: self = .accepted
        case 401: self = .refused("the user or the password is wrong")
        default: self = .refused(words.dropFirst().joined(separator: " ").onOneLine)
        }
    }
}
