package import AudioTypes
internal import Authorization
package import NIOHTTP1
package import Settings
internal import TextEncodings
internal import WebPage

/// The check that each request by HTTP passes before anything is done for it.
///
/// Its order is that of the rules below: a page of another site that has a name of its own lead to this machine (DNS
/// rebinding) is stopped by the host; one that sends requests to this machine's own names, by its origin.
package final class WebGate: Sendable {
    private let settings: WebSettings
    /// Names that the server has by itself.
    private let ownNames: Set<String>

    /// - Parameter machine: This machine's name, as gethostname(2) tells it.
    package init(_ settings: WebSettings, machine: String) {
        self.settings = settings
        let name = machine.lowercased()
        let label = String(name.prefix { $0 != "." })
        ownNames = Set(["localhost", name, label] + ["local", "lan", "home.arpa"].map { "\(label).\($0)" })
    }

    /// - Parameters:
    ///   - client: The other end of the connection.
    ///   - server: This machine's address in the connection; `nil` for a Unix socket.
    package func admit(
        _ head: HTTPRequestHead,
        from client: Principal,
        at server: IPAddress?
    ) throws(WebRefusal) -> WebRequest {
        guard head.size <= WebRequest.mostHeadBytes else { throw .headTooLarge }
        let target = try RequestTarget(head.uri)
        let host = try checkHost(of: head, target, at: server)
        guard let resource = WebRequest.Resource(path: target.path) else {
            throw WebRefusal(.notFound, "There is nothing at \(target.path.prefix(64)).")
        }
        if resource == .metrics, !settings.hasMetrics {
            throw WebRefusal(.notFound, "This server tells no figures; its owner can have it tell them: [web] metrics.")
        }
        let isPreflight = head.method == .OPTIONS && resource == .call
        let (origin, own) = try checkOrigin(of: head, host, isChange: resource.changes || resource.stays)
        if resource == .cookie, own == nil {
            throw WebRefusal(.forbidden, "Cookies are for pages of this server, whose Origin the browser tells.")
        }
        guard resource.methods.contains(head.method) || isPreflight && origin != nil else {
            let methods = resource.methods.map(\.rawValue).joined(separator: ", ")
            throw WebRefusal(.methodNotAllowed, "\(target.path) takes \(methods).", ["Allow": methods])
        }
        if head.method == .POST { try checkContent(of: head) }
        if resource == .socket { try checkUpgrade(head) }
        let isEncrypted = client.listener.address.isEncrypted
        let stream = try StreamRequest(resource, target, head)
        let zone = if let stream { stream.zone } else { try target.values(of: "zone").first }
        return WebRequest(
            resource: resource,
            method: head.method,
            zone: zone,
            origin: origin,
            pageOrigin: own,
            claim: try claim(of: head),
            cookie: mayHaveCookie(head, resource, own)
                ? ClientCookie(head.headers["cookie"], isEncrypted: isEncrypted) : nil,
            ticket: resource.takesTickets ? try target.value(of: "ticket") : nil,
            forwarding: forwarding(of: head, from: client),
            watch: WebRequest.Watch(
                topics: try target.values(of: "topics").flatMap { $0.split(separator: ",").map(String.init) },
                zones: try target.values(of: "zones")
            ),
            picture: try PictureRequest(resource, target, head),
            stream: stream,
            picked: PickedRequest(resource, target, head),
            page: try page(resource, target, head),
            isPreflight: isPreflight
        )
    }

    private func page(
        _ resource: WebRequest.Resource,
        _ target: RequestTarget,
        _ head: HTTPRequestHead
    ) throws(WebRefusal) -> (file: PageFile, conditions: RequestConditions)? {
        guard resource == .root || resource == .page else { return nil }
        guard let file = PageFile.at(target.path) else {
            throw WebRefusal(.notFound, "This version of the page has no such file.")
        }
        return (file, RequestConditions(head))
    }

    // MARK: Host

    /// - Returns: `nil` for a request of HTTP/1.0 that names none.
    private func checkHost(
        of head: HTTPRequestHead,
        _ target: RequestTarget,
        at server: IPAddress?
    ) throws(WebRefusal) -> HostAndPort? {
        let fields = head.headers["host"]
        guard let field = fields.first else {
            if head.version == .http1_0, [.GET, .HEAD].contains(head.method), target.authority == nil { return nil }
            throw WebRefusal(.badRequest, "The request names no Host.")
        }
        guard fields.count == 1, let host = HostAndPort(field) else {
            throw WebRefusal(.badRequest, "The request's Host is not one.")
        }
        try requireOwn(host, at: server)
        if let authority = target.authority {
            guard let named = HostAndPort(authority) else { throw .malformed }
            try requireOwn(named, at: server)
        }
        return host
    }

    private func requireOwn(_ host: HostAndPort, at server: IPAddress?) throws(WebRefusal) {
        let isOwn =
            switch host.host {
            case .address(let address): server.map { $0 == address } ?? address.isLoopback
            case .name(let name): ownNames.contains(name)
            }
        if isOwn || settings.names.contains(host.host) { return }
        throw WebRefusal(
            .misdirectedRequest,
            "This server is not called \(host); its owner can give it names: [web] names."
        )
    }

    // MARK: Origin

    /// - Returns: The origin of a page elsewhere that may use the server, or that of the server's own page.
    private func checkOrigin(
        of head: HTTPRequestHead,
        _ host: HostAndPort?,
        isChange: Bool
    ) throws(WebRefusal) -> (elsewhere: WebOrigin?, own: WebOrigin?) {
        let fields = head.headers["origin"]
        guard let field = fields.first else { return (nil, nil) }
        let origin = fields.count == 1 ? WebOrigin(field) : nil
        if let origin, let host, origin.isOf(host) { return (nil, origin) }
        if let origin, settings.origins.contains(origin) { return (origin, nil) }
        guard isChange else { return (nil, nil) }
        throw WebRefusal(
            .forbidden,
            "Pages of \(field.prefix(64)) may not use this server; its owner can allow them: [web] origins."
        )
    }

    // MARK: Content

    private func checkContent(of head: HTTPRequestHead) throws(WebRefusal) {
        let fields = head.headers["content-type"]
        let type = fields.first.map { $0.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased() }
        guard fields.count == 1, type == "application/json", !head.headers.contains(name: "content-encoding") else {
            throw WebRefusal(.unsupportedMediaType, "The body of a request has the Content-Type application/json.")
        }
        let codings = head.headers[canonicalForm: "transfer-encoding"].map { $0.lowercased() }
        guard codings.isEmpty || codings == ["chunked"] else {
            throw WebRefusal(.notImplemented, "The body of a request is in chunks, or as it is.")
        }
    }

    private func checkUpgrade(_ head: HTTPRequestHead) throws(WebRefusal) {
        let headers = head.headers
        let key = headers["sec-websocket-key"].first.flatMap { Base64.decoded(Array($0.utf8)[...]) }
        guard head.version == .http1_1, headers[canonicalForm: "upgrade"].contains(where: isWebSocket),
            headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" }),
            headers["sec-websocket-version"] == ["13"], key?.count == 16, headers["sec-websocket-key"].count == 1
        else {
            throw WebRefusal(
                .upgradeRequired,
                "/api/ws is for WebSockets (RFC 6455).",
                ["Upgrade": "websocket", "Sec-WebSocket-Version": "13"]
            )
        }
    }

    // MARK: The client

    /// Whether the browser's cookie counts: pages of other origins never act as its client.
    ///
    /// Browsers send `Origin` with each request that may change something, and with each WebSocket. With pictures and streams
    /// they send `Sec-Fetch-Site`, on encrypted pages only (Fetch Metadata).
    private func mayHaveCookie(_ head: HTTPRequestHead, _ resource: WebRequest.Resource, _ own: WebOrigin?) -> Bool {
        if resource.changes { return own != nil }
        guard !head.headers.contains(name: "origin") || own != nil else { return false }
        return head.headers["sec-fetch-site"].allSatisfy { ["same-origin", "none"].contains($0.lowercased()) }
    }

    /// - Returns: `nil` without a field `Authorization` of the scheme `Bearer`.
    private func claim(of head: HTTPRequestHead) throws(WebRefusal) -> ClientPassword? {
        let fields = head.headers["authorization"]
        guard let field = fields.first else { return nil }
        guard fields.count == 1 else { throw .malformed }
        let words = field.split(separator: " ", maxSplits: 1)
        // Other schemes are a proxy's.
        guard words.first?.lowercased() == "bearer" else { return nil }
        guard words.count == 2 else { throw .wrongSecret }
        let text = words[1].utf8.map { byte in
            switch byte {
            case UInt8(ascii: "-"): UInt8(ascii: "+")
            case UInt8(ascii: "_"): UInt8(ascii: "/")
            default: byte
            }
        }
        guard let bytes = Base64.decoded(text[...]), let secret = String(validating: bytes, as: UTF8.self),
            let claim = ClientPassword(secret)
        else { throw .wrongSecret }
        return claim
    }

    private static let forwardingFields = ["forwarded", "via", "x-real-ip"]

    /// The word of a trusted proxy, and of others only that it is not they who ask.
    private func forwarding(of head: HTTPRequestHead, from client: Principal) -> Forwarding {
        let isForwarded = head.headers.contains { field in
            let name = field.name.lowercased()
            return name.hasPrefix("x-forwarded-") || Self.forwardingFields.contains(name)
        }
        guard settings.proxies.contain(client) else { return isForwarded ? .unknown : .none }
        var last: IPAddress?
        let addresses = head.headers["x-forwarded-for"].joined(separator: ",").split(separator: ",")
        for word in addresses.reversed() {
            guard let address = forwardedAddress(word) else { return .unknown }
            last = address
            if !settings.proxies.contain(address) { break }
        }
        return last.map { .address($0) } ?? .unknown
    }
}

private func isWebSocket(_ word: Substring) -> Bool { word.lowercased() == "websocket" }

/// An address with a port or without, as proxies write it.
private func forwardedAddress(_ word: Substring) -> IPAddress? {
    let text = String(word.filter { $0 != " " && $0 != "\t" })
    if let address = IPAddress(text) { return address }
    guard case .address(let address)? = HostAndPort(text)?.host else { return nil }
    return address
}

extension HTTPRequestHead {
    /// Of the line and the fields, in bytes.
    fileprivate var size: Int {
        headers.reduce(method.rawValue.utf8.count + uri.utf8.count + 12) { sum, field in
            sum + field.name.utf8.count + field.value.utf8.count + 4
        }
    }
}
