/// The heads of responses to listeners.
enum ListenerResponse: Sendable, Hashable {
    /// The stream, or with HEAD its head only.
    case stream(StreamEncoding, StreamTexts, titles: Bool)
    case malformed
    case forbidden
    case notFound
    case wrongMethod
    case tooSlow
    case tooLarge
    case full

    /// Bytes of the stream between two titles.
    static let titleInterval = 16_384

    var text: String {
        switch self {
        case .stream(let encoding, let texts, let hasTitles): Self.head(encoding, texts, hasTitles)
        case .malformed: Self.error("400 Bad Request", "This is not a request of HTTP/1.")
        case .forbidden: Self.error("403 Forbidden", "You have no right to listen in this zone.")
        case .notFound: Self.error("404 Not Found", "There is only the stream, at /.")
        case .wrongMethod:
            Self.error("405 Method Not Allowed", "The stream takes GET and HEAD.", "Allow: GET, HEAD\r\n")
        case .tooSlow: Self.error("408 Request Timeout", "The request took too long.")
        case .tooLarge: Self.error("431 Request Header Fields Too Large", "The request is too large.")
        case .full:
            Self.error("503 Service Unavailable", "There are as many listeners as may be.", "Retry-After: 30\r\n")
        }
    }

    private static func head(_ encoding: StreamEncoding, _ texts: StreamTexts, _ hasTitles: Bool) -> String {
        var text = "HTTP/1.1 200 OK\r\nContent-Type: \(encoding.codec.contentType)\r\n"
        text += "Connection: close\r\nCache-Control: no-cache, no-store\r\nX-Content-Type-Options: nosniff\r\n"
        return text + fields(encoding, texts, titles: hasTitles).lines + "\r\n"
    }

    /// The fields of ICY, which describe a stream.
    static func fields(
        _ encoding: StreamEncoding,
        _ texts: StreamTexts,
        titles hasTitles: Bool
    ) -> [(name: String, value: String)] {
        var fields = texts.fields(prefix: "icy") + [("icy-pub", "0")]
        if let rate = encoding.nominalBitRate { fields.append(("icy-br", "\(rate / 1_000)")) }
        if hasTitles { fields.append(("icy-metaint", "\(titleInterval)")) }
        return fields
    }

    private static func error(_ status: String, _ reason: String, _ fields: String = "") -> String {
        "HTTP/1.1 \(status)\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: \(reason.utf8.count + 1)\r\n"
            + "Connection: close\r\n\(fields)\r\n\(reason)\n"
    }
}
