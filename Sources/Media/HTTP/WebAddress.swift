internal import AudioTypes
private import CCurl

/// The parts of an `http` or `https` URL as libcurl parses it, so that what is permitted is what is connected to.
struct WebAddress: Sendable, Hashable {
    /// The URL without user name, password and fragment, percent-encoded for a request.
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

    init(_ url: String) throws(HTTPError) {
        guard let handle = unsafe curl_url() else { throw HTTPError(.other("out of memory")) }
        defer { unsafe curl_url_cleanup(handle) }
        let flags = UInt32(CURLU_NON_SUPPORT_SCHEME | CURLU_URLENCODE | CURLU_ALLOW_SPACE | CURLU_PATH_AS_IS)
        guard unsafe curl_url_set(handle, CURLUPART_URL, url, flags) == CURLUE_OK else {
            throw HTTPError(.refused("not a URL that can be fetched"))
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
        self.text = text
        self.scheme = scheme
        self.host = host.lowercased()
        port = get(CURLUPART_PORT, CURLU_DEFAULT_PORT).flatMap { Int($0) } ?? 0
        credentials = user == nil && password == nil ? nil : Credentials(user: user ?? "", password: password ?? "")
    }

    /// Resolves a reference found at this URL, as in a redirection.
    func resolving(_ reference: String) throws(HTTPError) -> WebAddress {
        try WebAddress(URLReference(reference).resolved(against: URLReference(text)).text)
    }

    /// Whether secrets for `other` may be sent here too.
    ///
    /// To the same host and port; also to the same host over TLS. Never from TLS to plain text.
    func isTrusted(with other: WebAddress) -> Bool {
        guard host == other.host else { return false }
        if scheme == other.scheme { return port == other.port }
        return scheme == "https" && port == 443 && other.port == 80
    }
}
