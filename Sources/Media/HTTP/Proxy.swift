private import CCurl
private import Glibc

/// The proxy that the environment sets for a URL, which libcurl uses unless the host is excepted.
struct Proxy: Sendable, Hashable {
    /// Without brackets.
    let host: String
    let port: Int

    /// For display: without user name and password.
    var name: String { (host.contains(":") ? "[\(host)]" : host) + ":\(port)" }

    /// - Parameter scheme: The URL's scheme.
    init?(for scheme: String) {
        // HTTP_PROXY is ignored: web servers set it from a client's request header (CURLOPT_PROXY(3)).
        let own = scheme == "https" ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]
        for variable in own + ["all_proxy", "ALL_PROXY"] {
            guard let value = unsafe getenv(variable), let proxy = unsafe Proxy(String(cString: value)) else {
                continue
            }
            self = proxy
            return
        }
        return nil
    }

    private init?(_ text: String) {
        guard !text.isEmpty, let handle = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(handle) }
        let url = text.contains("://") ? text : "http://" + text
        guard unsafe curl_url_set(handle, CURLUPART_URL, url, UInt32(CURLU_NON_SUPPORT_SCHEME)) == CURLUE_OK else {
            return nil
        }
        func get(_ part: CURLUPart) -> String? {
            var text: UnsafeMutablePointer<CChar>?
            guard unsafe curl_url_get(handle, part, &text, 0) == CURLUE_OK, let text = unsafe text else { return nil }
            defer { unsafe curl_free(text) }
            return unsafe String(cString: text)
        }
        guard let host = get(CURLUPART_HOST) else { return nil }
        self.host = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
        // libcurl's defaults.
        port = get(CURLUPART_PORT).flatMap { Int($0) } ?? (get(CURLUPART_SCHEME) == "https" ? 443 : 1080)
    }
}
