import Foundation
import TestSupport
import TextEncodings

/// A server with a port and a socket for HTTP.
final class WebStage: Sendable {
    let folder: TemporaryFolder
    let port: UInt16
    let server: Segued

    /// - Parameters:
    ///   - web: Lines of `[web]`, behind the addresses.
    ///   - settings: Lines before any table.
    ///   - folder: For the server's files; a new one, without it.
    init(
        _ web: String = "",
        _ settings: String = "",
        tables: String = "",
        in folder: TemporaryFolder? = nil,
        music: String? = nil
    ) async throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        port = try steadyPort()
        let text = """
            listen = ["unix:\(folder.file("socket"))"]
            \(settings)
            [web]
            listen = ["tcp:127.0.0.1:\(port)", { address = "unix:\(folder.file("web"))", mode = "0666" }]
            \(web)
            [[zone]]
            name = "kitchen"
            [[zone.output]]
            type = "null"
            name = "kitchen"
            [[output]]
            type = "null"
            name = "null"
            \(tables)
            """
        server = try await Segued.start(.toml(text), in: folder, music: music)
    }

    func connect() throws -> WebClient {
        try WebClient(LineClient(descriptor: SocketAddress.ipv4(port).connect(), of: self), host: "127.0.0.1:\(port)")
    }

    /// By the Unix socket, where the client is the server's owner.
    func connectAsOwner() throws -> WebClient {
        try WebClient(
            LineClient(descriptor: SocketAddress.unix(folder.file("web")).connect(), of: self),
            host: "localhost"
        )
    }

    /// - Parameter user: Only root can be another one.
    func connect(as user: UInt32) throws -> WebClient {
        let descriptor = try SocketAddress.unix(folder.file("web")).connect(as: user)
        return WebClient(LineClient(descriptor: descriptor, of: self), host: "localhost")
    }

    /// Makes a named client.
    ///
    /// - Parameter grants: Such as `permissions read`.
    /// - Returns: The value of the field `Authorization`.
    func makeClient(_ name: String, _ grants: String) throws -> String {
        let owner = try server.connect()
        if !grants.isEmpty { try owner.order("clients set \(name) \(grants)") }
        let password = try owner.values("clients password \(name)")["password"] ?? ""
        return WebClient.bearer(password)
    }
}

/// A client by HTTP, or in a WebSocket, that sees everything as it comes.
final class WebClient {
    struct Response: CustomStringConvertible {
        let status: Int
        /// By their names in small letters.
        let fields: [String: String]
        let bytes: [UInt8]
        var body: String { String(decoding: bytes, as: UTF8.self) }
        /// Whether the body came in chunks.
        var isChunked: Bool { fields["transfer-encoding"] == "chunked" }

        /// Tells bodies apart, in a few words.
        var digest: String { WebClient.digest(bytes) }
        var json: JSON { (try? JSON(parsing: bytes)) ?? .null }
        var description: String { "\(status) \(fields) \(body.prefix(300))" }
    }

    let lines: LineClient
    let host: String

    init(_ lines: LineClient, host: String) { (self.lines, self.host) = (lines, host) }

    static func bearer(_ text: String) -> String {
        let base64 = String(decoding: Base64.encoded(Array(text.utf8)), as: UTF8.self)
        return "Bearer " + base64.replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }

    static func digest(_ bytes: [UInt8]) -> String { "\(bytes.count) bytes, \(bytes.hashValue)" }

    // MARK: Requests

    /// - Parameter fields: A field whose value is empty is left out of those that are usual.
    func send(
        _ method: String,
        _ target: String,
        _ fields: [String: String] = [:],
        body: String? = nil,
        version: String = "1.1"
    ) {
        var all = ["Host": host]
        if let body {
            all["Content-Type"] = "application/json"
            all["Content-Length"] = "\(body.utf8.count)"
        }
        for (name, value) in fields { all[name] = value.isEmpty ? nil : value }
        let head = all.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)\r\n" }.joined()
        lines.send("\(method) \(target) HTTP/\(version)\r\n\(head)\r\n\(body ?? "")")
    }

    @discardableResult
    func ask(
        _ method: String,
        _ target: String,
        _ fields: [String: String] = [:],
        body: String? = nil,
        version: String = "1.1"
    ) -> Response {
        send(method, target, fields, body: body, version: version)
        return response(to: method)
    }

    /// Sends a message by POST.
    func post(_ message: String, _ fields: [String: String] = [:], to target: String = "/api") -> Response {
        ask("POST", target, fields, body: message)
    }

    /// Calls a method by POST.
    ///
    /// - Throws: Its error.
    @discardableResult
    func call(
        _ method: String,
        _ params: String = "[]",
        _ fields: [String: String] = [:],
        to target: String = "/api"
    ) throws -> JSON {
        let response = post(Self.request(method, params), fields, to: target)
        guard response.status == 200, let result = response.json["result"] else {
            throw ClientError(description: "\(method): \(response)")
        }
        return result
    }

    static func request(_ method: String, _ params: String = "[]", id: Int = 1) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }

    /// Reads a response.
    func response(to method: String = "GET") -> Response {
        let head = head()
        guard head.status > 0 else { return head }
        return Response(status: head.status, fields: head.fields, bytes: body(method, head.status, head.fields))
    }

    /// Reads the head of a response.
    func head() -> Response {
        let words = line().split(separator: " ", maxSplits: 2)
        guard words.count > 1, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            return Response(status: 0, fields: [:], bytes: Array(words.joined(separator: " ").utf8))
        }
        var fields: [String: String] = [:]
        while true {
            let text = line()
            let parts = text.split(separator: ":", maxSplits: 1)
            guard parts.count == 2 else { break }
            fields[parts[0].lowercased()] = parts[1].trimmingCharacters(in: .whitespaces)
        }
        return Response(status: status, fields: fields, bytes: [])
    }

    private func body(_ method: String, _ status: Int, _ fields: [String: String]) -> [UInt8] {
        if method == "HEAD" || status == 204 || status == 304 || status < 200 { return [] }
        if let length = fields["content-length"].flatMap({ Int($0) }) { return lines.bytes(length) }
        var bytes: [UInt8] = []
        guard fields["transfer-encoding"] == "chunked" else { return lines.bytes(.max >> 1) }
        while let count = Int(line(), radix: 16) {
            bytes += lines.bytes(count)
            _ = line()
            if count == 0 { break }
        }
        return bytes
    }

    private func line() -> String {
        let line = lines.line()
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
    }

    /// Whether the server has ended the connection, with nothing before.
    var hasEnded: Bool { lines.line() == "<closed>" }

    // MARK: WebSockets

    struct Frame: Equatable, CustomStringConvertible {
        let isLast: Bool
        let opcode: UInt8
        let payload: [UInt8]

        var text: String { String(decoding: payload, as: UTF8.self) }
        /// Of the frame that ends the connection.
        var code: Int? { opcode == 8 && payload.count >= 2 ? Int(payload[0]) << 8 | Int(payload[1]) : nil }
        var description: String { "\(isLast ? "" : "part of ")\(opcode): \(code.map { "\($0)" } ?? text)" }
    }

    static let upgrade = [
        "Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13",
        "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
    ]

    /// Makes a WebSocket of the connection.
    @discardableResult
    func openSocket(_ fields: [String: String] = [:], at target: String = "/api/ws") throws -> Response {
        send("GET", target, Self.upgrade.merging(fields) { $1 })
        let response = response()
        guard response.status == 101 else { throw ClientError(description: "no WebSocket: \(response)") }
        return response
    }

    func sendFrame(_ opcode: UInt8, _ payload: [UInt8], isLast: Bool = true, isMasked: Bool = true, bits: UInt8 = 0) {
        var frame = [(isLast ? 0x80 : 0) | bits | opcode]
        let mask: UInt8 = isMasked ? 0x80 : 0
        if payload.count < 126 {
            frame.append(mask | UInt8(payload.count))
        } else if payload.count < 65_536 {
            frame += [mask | 126, UInt8(payload.count >> 8), UInt8(payload.count & 0xff)]
        } else {
            frame.append(mask | 127)
            frame += (0..<8).map { UInt8(payload.count >> (56 - 8 * $0) & 0xff) }
        }
        let key: [UInt8] = [0x37, 0xfa, 0x21, 0x3d]
        if isMasked { frame += key }
        frame += isMasked ? payload.enumerated().map { $0.element ^ key[$0.offset % 4] } : payload
        lines.send(frame)
    }

    func sendMessage(_ text: String) { sendFrame(1, Array(text.utf8)) }

    /// The next frame; `nil` at the connection's end.
    func frame() -> Frame? {
        let head = lines.bytes(2)
        guard head.count == 2 else { return nil }
        var length = Int(head[1] & 0x7f)
        if length > 125 { length = lines.bytes(length == 126 ? 2 : 8).reduce(0) { $0 << 8 | Int($1) } }
        return Frame(isLast: head[0] & 0x80 != 0, opcode: head[0] & 0x0f, payload: lines.bytes(length))
    }

    /// The next message, put together of its frames.
    func message() throws -> (json: JSON, frames: Int) {
        var (bytes, count): ([UInt8], Int) = ([], 0)
        while let frame = frame() {
            guard frame.opcode == (count == 0 ? 1 : 0) else { throw ClientError(description: "no message: \(frame)") }
            bytes += frame.payload
            count += 1
            if frame.isLast { return (try JSON(parsing: bytes), count) }
        }
        throw ClientError(description: "the connection has ended")
    }

    /// Calls a method in the WebSocket, where nothing else is to come.
    func socketCall(_ method: String, _ params: String = "[]") throws -> JSON {
        sendMessage(Self.request(method, params))
        let response = try message().json
        guard let result = response["result"] else { throw ClientError(description: "\(method): \(response.text)") }
        return result
    }
}
