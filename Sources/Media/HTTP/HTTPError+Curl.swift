internal import CCurl
private import Glibc

extension HTTPError {
    /// The error for a transfer's result.
    ///
    /// - Parameters:
    ///   - easy: The transfer's handle.
    ///   - message: The contents of libcurl's error buffer.
    init(_ code: CURLcode, easy: UnsafeMutableRawPointer, message: String) {
        let address = unsafe segue_get_string(easy, CURLINFO_PRIMARY_IP).map { unsafe String(cString: $0) }
        let error = unsafe Int32(truncatingIfNeeded: segue_get_long(easy, CURLINFO_OS_ERRNO))
        // A proxy's refusal to connect; libcurl itself reports only a broken connection.
        let refusal = unsafe segue_get_long(easy, CURLINFO_HTTP_CONNECTCODE)
        self.init(
            refusal >= 300 ? .status(refusal, "") : Self.kind(code, errno: error, message),
            serverAddress: address.flatMap { $0.isEmpty ? nil : $0 }
        )
    }

    private static func kind(_ code: CURLcode, errno: Int32, _ message: String) -> Kind {
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: .resolving
        case CURLE_COULDNT_CONNECT: .connecting(code: errno)
        case CURLE_OPERATION_TIMEDOUT: .unanswered
        case CURLE_SSL_CONNECT_ERROR: .tls
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM, CURLE_SSL_ISSUER_ERROR:
            .certificate(certificateProblem(message))
        case CURLE_SSL_CACERT_BADFILE: .certificate("the list of trusted authorities cannot be read")
        case CURLE_PARTIAL_FILE, CURLE_GOT_NOTHING: .closedEarly
        case CURLE_RECV_ERROR, CURLE_SEND_ERROR: .reset(code: errno)
        // A header line beyond libcurl's limit; later versions have a separate code, 100.
        case CURLE_OUT_OF_MEMORY, CURLcode(rawValue: 100): .tooLarge
        case CURLE_WEIRD_SERVER_REPLY, CURLE_BAD_CONTENT_ENCODING, CURLE_UNSUPPORTED_PROTOCOL: .malformed
        case CURLE_TOO_MANY_REDIRECTS: .redirects
        case CURLE_URL_MALFORMAT: .refused("not a URL that can be fetched")
        default: .other(text(code))
        }
    }

    private static func certificateProblem(_ message: String) -> String {
        let message = message.lowercased()
        if message.contains("expir") { return "its certificate has expired" }
        if message.contains("not match") || message.contains("no alternative") {
            return "its certificate is another host's"
        }
        return "its certificate is not trusted"
    }

    private static func text(_ code: CURLcode) -> String {
        guard let text = unsafe curl_easy_strerror(code) else { return "error \(code.rawValue)" }
        return unsafe String(cString: text)
    }
}

extension HTTPError: CustomStringConvertible {
    /// For a message, without the location: "connection refused".
    package var comment: String { proxy.map { "the proxy \($0): \(words)" } ?? words }

    private var words: String {
        switch kind {
        case .resolving: "the host's name cannot be resolved"
        case .connecting(0): "cannot connect"
        case .connecting(let code): Self.text(errno: code)
        case .unanswered: "the host does not answer"
        case .tls: "the TLS handshake failed"
        case .certificate(let problem): "the server's identity cannot be verified: \(problem)"
        case .reset(0): "the connection broke"
        case .reset(let code): Self.text(errno: code)
        case .closedEarly: "the server closed the connection too early"
        case .silent: "the server sends no data"
        case .slow: "the server sends too slowly"
        case .status(416, _): "the server refuses the part asked for"
        case .status(let status, ""): "\(status)"
        case .status(let status, let phrase): "\(status) \(phrase)"
        case .redirects: "too many redirections"
        case .malformed: "the answer is not HTTP"
        case .refused(let rule): rule
        case .changed: "it has changed on the server"
        case .tooLarge: "the server sends too much data"
        case .interrupted: "interrupted"
        case .other(let text): text
        }
    }

    /// One line, without the location, with advice where there is any.
    package var description: String {
        switch kind {
        case .certificate: "\(comment); --insecure plays it anyway"
        case .status(let status, _) where status != 416:
            (proxy.map { "the proxy \($0)" } ?? "the server") + " says \(words)"
        default: comment
        }
    }

    private static func text(errno code: Int32) -> String {
        guard let text = unsafe strerror(code) else { return "error \(code)" }
        let words = unsafe String(cString: text)
        return words.prefix(1).lowercased() + words.dropFirst()
    }
}
