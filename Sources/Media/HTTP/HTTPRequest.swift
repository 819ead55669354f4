internal import AudioTypes
internal import CCurl

/// A request to one server.
struct HTTPRequest {
    static let mostRedirections = 10

    var address: WebAddress
    var range: HTTPRange?
    var isICY = false
    /// Whether the body may be compressed.
    var isPacked = false

    /// Sends it.
    ///
    /// - Parameter home: The server that gets the headers and credentials.
    func start(_ transfer: HTTPTransfer, home: WebAddress) throws(HTTPError) {
        let options = transfer.client.options
        let easy = unsafe transfer.easy
        // The decoded contents of one piece are buffered until they are read, whatever their size.
        let piece = isPacked ? 4 << 10 : 64 << 10
        unsafe segue_set_string(easy, CURLOPT_URL, address.text)
        unsafe segue_allow_http_only(easy)
        transfer.client.port.begin()
        unsafe segue_set_sockets(easy, openSocket, Unmanaged.passUnretained(transfer).toOpaque())
        switch transfer.trust {
        case .host: break
        // The connection was permitted for this URL only, and not for others of the same host.
        case .url: unsafe segue_set_long(easy, CURLOPT_FORBID_REUSE, 1)
        // A proxy would connect to addresses that cannot be checked here.
        case .none: unsafe segue_set_string(easy, CURLOPT_PROXY, "")
        }
        unsafe segue_leave_quickly(easy)
        for (option, value) in [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_BUFFERSIZE, piece), (CURLOPT_TCP_KEEPALIVE, 1), (CURLOPT_TCP_NODELAY, 1),
            (CURLOPT_SUPPRESS_CONNECT_HEADERS, 1), (CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1),
            (CURLOPT_SSL_VERIFYPEER, options.verifiesCertificates ? 1 : 0),
            (CURLOPT_SSL_VERIFYHOST, options.verifiesCertificates ? 2 : 0),
        ] { unsafe segue_set_long(easy, option, value) }
        unsafe segue_set_string(easy, CURLOPT_USERAGENT, options.userAgent ?? "\(Product.name)/\(Product.version)")
        // A Cookie header set by the user replaces the cookie store.
        if !options.headers.contains(where: { $0.name.lowercased() == "cookie" }) {
            unsafe segue_set_cookies(easy, transfer.client.cookies)
        }
        if isPacked { unsafe segue_set_string(easy, CURLOPT_ACCEPT_ENCODING, "") }
        if let range {
            unsafe segue_set_string(easy, CURLOPT_RANGE, "\(range.first)-\(range.last.map(String.init) ?? "")")
        }
        let isHome = address.isTrusted(with: home)
        if let credentials = address.credentials ?? (isHome ? home.credentials : nil) {
            unsafe segue_set_long(easy, CURLOPT_HTTPAUTH, segue_CURLAUTH_BASIC)
            unsafe segue_set_string(easy, CURLOPT_USERNAME, credentials.user)
            unsafe segue_set_string(easy, CURLOPT_PASSWORD, credentials.password)
        }
        let lines = try headerLines(isHome ? options.headers : [])
        var list: UnsafeMutablePointer<curl_slist>?
        for line in lines { unsafe list = curl_slist_append(list, line) }
        unsafe segue_set_list(easy, CURLOPT_HTTPHEADER, list)
        unsafe segue_set_list(easy, CURLOPT_HTTP200ALIASES, icyAnswer)
        try unsafe transfer.attach(list)
    }

    private func headerLines(_ headers: [HTTPOptions.Header]) throws(HTTPError) -> [String] {
        var lines: [String] = []
        if isICY { lines.append("Icy-MetaData: 1") }
        if range != nil, let validator = range?.validator { lines.append("If-Range: \(validator)") }
        for header in headers {
            // Swift treats a carriage return with a line feed as one character.
            let isClean = !(header.name + header.value).unicodeScalars.contains { $0.value < 0x20 && $0 != "\t" }
            guard isClean, !header.name.isEmpty, !header.name.contains(":") else {
                throw HTTPError(.refused("the header '\(header.name.prefix(40))' is not valid"))
            }
            lines.append(header.value.isEmpty ? "\(header.name);" : "\(header.name): \(header.value)")
        }
        return lines
    }
}

/// The start of a response from SHOUTcast servers; never freed.
private nonisolated(unsafe) let icyAnswer = unsafe curl_slist_append(nil, "ICY 200 OK")
