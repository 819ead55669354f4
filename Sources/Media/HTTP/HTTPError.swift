/// Why bytes did not come, by what a caller can do about it.
package struct HTTPError: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// No name server knows the host, or none answers.
        case resolving
        /// The host could not be reached: an errno, 0 for none.
        case connecting(code: Int32)
        /// Nobody answered a request to connect.
        case unanswered
        /// The connection was secured by nobody: broken off while being secured.
        case tls
        /// The server did not prove who it is, in words: "the certificate has expired".
        case certificate(String)
        /// The connection broke, with an errno, 0 for none.
        case reset(code: Int32)
        /// The server closed the connection before all it had promised.
        case closedEarly
        /// Nothing came for as long as one waits.
        case silent
        /// So little came that nothing can be played of it.
        case slow
        /// A status that is no success, with the server's own words for it.
        case status(Int, String)
        /// Redirections in a circle, or too many.
        case redirects
        /// What came is not HTTP.
        case malformed
        /// A scheme, address or rule of ours forbids it, in words.
        case refused(String)
        /// It is another resource than the one that was begun.
        case changed
        /// Headers or a document larger than one takes.
        case tooLarge
        /// The interrupt was raised.
        case interrupted
        /// Anything else, in libcurl's words.
        case other(String)
    }

    package var kind: Kind
    /// Seconds after which the server wants to be asked again.
    package var retryAfter: Double?
    /// The server's numeric address; `nil` when it was not reached.
    package var serverAddress: String?
    /// Bytes of the resource, where the server refused a range of it (416) and said so.
    package var size: Int?
    /// The proxy that it is about, as `host:port`; `nil` when it is about the server.
    package var proxy: String?
    /// Whether the client notices by itself when the host accepts connections again, and ends a wait then.
    package var isWatched = false

    package init(_ kind: Kind, retryAfter: Double? = nil, serverAddress: String? = nil) {
        self.kind = kind
        self.retryAfter = retryAfter
        self.serverAddress = serverAddress
    }
}

extension HTTPError {
    /// Whether it may be otherwise later.
    package var isTemporary: Bool {
        switch kind {
        case .resolving, .connecting, .unanswered, .tls, .reset, .closedEarly, .silent, .slow: true
        case .status(let status, _):
            status >= 500 && status != 501 && status != 505 || [408, 425, 429].contains(status)
        case .certificate, .redirects, .malformed, .refused, .changed, .tooLarge, .interrupted, .other: false
        }
    }

    /// The HTTP status; `nil` without an answer.
    package var status: Int? { if case .status(let status, _) = kind { status } else { nil } }

    /// Where it went wrong, for `StreamFailure`: `DNS`, `TCP`, `TLS` or `HTTP`.
    package var domain: String {
        switch kind {
        case .resolving: "DNS"
        case .connecting, .unanswered, .reset, .closedEarly, .silent, .slow: "TCP"
        case .tls, .certificate: "TLS"
        case .status, .redirects, .malformed, .refused, .changed, .tooLarge, .interrupted, .other: "HTTP"
        }
    }
}
