private import CCurl

/// An `http` or `https` URL in parts, read and resolved as libcurl does.
struct WebAddress: Sendable, Hashable {
    /// The URL without user name, password and fragment, fit to be asked for: what must be encoded is.
    let text: String
    let scheme: String
    /// In lower case.
    let host: String
    let port: Int
    /// Decoded; `nil` when the URL has none.
    let credentials: Credentials?

    struct Credentials: Sendable, Hashable {
        var user: String
        var password: String
    }

    init(_ url: String) throws(HTTPError) { self = try Self.parse(url, relativeTo: nil) }

    /// The address that a reference found at this one means, as in a redirection.
    func resolving(_ reference: String) throws(HTTPError) -> WebAddress {
        try Self.parse(reference, relativeTo: text)
    }

    /// Whether what is told to `other` may be told here too.
    ///
    /// The same host and port may; so may the secured form of the same host. Never from secured to not secured.
    func isTrusted(with other: WebAddress) -> Bool {
        guard host == other.host else { return false }
        if scheme == other.scheme { return port == other.port }
        return scheme == "https" && port == 443 && other.port == 80
    }

    private static func parse(_ url: String, relativeTo base: String?) throws(HTTPError) -> WebAddress {
        guard let handle = unsafe curl_url() else { throw HTTPError(.other("out of memory")) }
        defer { unsafe curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_PATH_AS_IS)
        for part in [base, url] {
            guard let part else { continue }
            guard unsafe curl_url_set(handle, CURLUPART_URL, part, flags) == CURLUE_OK else {
                throw HTTPError(.refused("not a URL that can be fetched"))
            }
        }
        func get(_ part: CURLUPart, _ flags: Int32 = 0) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_get(handle, part, &text, UInt32(flags)) == CURLUE_OK, let text = unsafe text else {
                return nil
            }
            defer { unsafe curl_free(text) }
            return unsafe String(cString: text)
        }
        let scheme = get(CURLUPART_SCHEME)?.lowercased() ?? ""
        guard ["http", "https"].contains(scheme) else {
            throw HTTPError(.refused("'\(scheme):' is not fetched over HTTP"))
        }
        let user = get(CURLUPART_USER, CURLU_URLDECODE)
        let password = get(CURLUPART_PASSWORD, CURLU_URLDECODE)
        for part in [CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_FRAGMENT] {
            unsafe curl_url_set(handle, part, nil, 0)
        }
        guard let text = get(CURLUPART_URL), let host = get(CURLUPART_HOST), !host.isEmpty else {
            throw HTTPError(.refused("not a URL that can be fetched"))
        }
        return WebAddress(
            text: text,
            scheme: scheme,
            host: host.lowercased(),
            port: get(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap { Int($0) } ?? 0,
            credentials: user == nil && password == nil ? nil : Credentials(user: user ?? "", password: password ?? "")
        )
    }

    private init(text: String, scheme: String, host: String, port: Int, credentials: Credentials?) {
        self.text = text
        self.scheme = scheme
        self.host = host
        self.port = port
        self.credentials = credentials
    }
}
