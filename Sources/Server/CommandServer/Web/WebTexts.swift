internal import AudioTypes
internal import NIOHTTP1
internal import Settings
internal import WebPage
internal import WebRequests

/// The parts of responses by HTTP that are the same for all.
enum WebTexts {
    static let health = "{\"status\":\"ok\",\"version\":\"\(Product.version)\"}\n"

    /// The fields of a response.
    ///
    /// - Parameters:
    ///   - origin: Of a page elsewhere that may read it.
    ///   - date: When it is sent.
    static func fields(type: String, _ origin: WebOrigin?, _ date: String) -> HTTPHeaders {
        var fields: HTTPHeaders = [
            "Date": date,
            "Content-Type": type,
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
        if let origin {
            fields.add(name: "Access-Control-Allow-Origin", value: origin.text)
            fields.add(name: "Vary", value: "Origin")
        }
        return fields
    }

    /// The fields of a file of the page.
    ///
    /// Its scripts are its own files alone, and none of them makes markup of a text: a title that looks like markup is shown
    /// as it is, and if one of them failed in that, the browser would stop it (Content Security Policy, Trusted Types).
    static func pageFields(_ file: PageFile, isCompressed: Bool, _ date: String) -> HTTPHeaders {
        var fields: HTTPHeaders = [
            "Date": date,
            "Content-Type": file.type,
            "ETag": PageFile.tag(isCompressed: isCompressed),
            "Cache-Control": file.isNamed ? "public, max-age=31536000, immutable" : "no-cache",
            "Vary": "Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
            "Cross-Origin-Resource-Policy": "same-origin",
            "Referrer-Policy": "no-referrer",
            "Permissions-Policy": "camera=(), display-capture=(), geolocation=(), microphone=(), usb=()",
            "Content-Security-Policy": policy,
        ]
        // It serves the page, which is not in its folder (Service Workers, section 6.3).
        if file.isWorker { fields.add(name: "Service-Worker-Allowed", value: "/") }
        return fields
    }

    private static let policy = [
        "default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'",
        "media-src 'self'", "manifest-src 'self'", "worker-src 'self'", "base-uri 'none'", "form-action 'none'",
        "frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types segue-worker",
    ].joined(separator: "; ")

    /// The response after which the connection is a WebSocket.
    ///
    /// - Parameter cookie: The field `Set-Cookie`, if there is one.
    static func upgrade(_ head: HTTPRequestHead, cookie: String?) -> [UInt8] {
        let accept = webSocketAccept(of: head.headers["sec-websocket-key"].first ?? "")
        var text = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        text += "Sec-WebSocket-Accept: \(accept)\r\n"
        if head.headers[canonicalForm: "sec-websocket-protocol"].contains("segue.v1") {
            text += "Sec-WebSocket-Protocol: segue.v1\r\n"
        }
        if let cookie { text += "Set-Cookie: \(cookie)\r\n" }
        return Array((text + "\r\n").utf8)
    }
}

/// The head of responses of status 200, as bytes, made once for each date.
struct KnownHead {
    private let type: String
    private var date = ""
    private var bytes: [UInt8] = []

    init(type: String) { self.type = type }

    /// - Returns: All up to the length of the body.
    mutating func bytes(at date: String) -> [UInt8] {
        if date == self.date { return bytes }
        var text = "HTTP/1.1 200 OK\r\n"
        for field in WebTexts.fields(type: type, nil, date) { text += "\(field.name): \(field.value)\r\n" }
        (self.date, bytes) = (date, Array((text + "Content-Length: ").utf8))
        return bytes
    }
}

extension WebRequest {
    /// The answer to a browser that asks whether its page may send a message.
    func preflightFields(_ date: String) -> HTTPHeaders {
        var fields = WebTexts.fields(type: "", origin, date)
        fields.remove(name: "Content-Type")
        fields.add(name: "Access-Control-Allow-Methods", value: "POST")
        fields.add(name: "Access-Control-Allow-Headers", value: "Content-Type, Authorization")
        fields.add(name: "Access-Control-Max-Age", value: "600")
        return fields
    }
}

extension WebRefusal {
    /// A response that ends the connection.
    var wholeResponse: String {
        var head = "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\nContent-Type: text/plain; charset=utf-8\r\n"
        head += "Content-Length: \(text.utf8.count + 1)\r\nX-Content-Type-Options: nosniff\r\nConnection: close\r\n"
        for field in fields { head += "\(field.name): \(field.value)\r\n" }
        return head + "\r\n\(text)\n"
    }
}
