private import Glibc

/// Why a request failed, distinguished by how a caller can react.
package struct HTTPError: Error, Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        /// The host name could not be resolved.
        case resolving
        /// The host could not be reached: an errno, 0 for none.
        case connecting(code: Int32)
        /// The host did not answer the request to connect.
        case unanswered
        /// The TLS handshake failed.
        case tls
        /// The server's certificate was rejected, with the reason: "the certificate has expired".
        case certificate(String)
        /// The connection broke, with an errno, 0 for none.
        case reset(code: Int32)
        /// The server closed the connection before the end of the response.
        case closedEarly
        /// No data arrived within the time limit.
        case silent
        /// Too little data arrived to be played.
        case slow
        /// An unsuccessful status, with the server's reason phrase.
        case status(Int, String)
        /// A redirection loop, or too many redirections.
        case redirects
        /// The response is not HTTP.
        case malformed
        /// A scheme, address or rule of ours forbids it; the text is the reason.
        case refused(String)
        /// The resource is not the one that was opened.
        case changed
        /// Headers or a document exceed the limit.
        case tooLarge
        /// The interrupt was raised.
        case interrupted
        /// Any other error, with libcurl's message.
        case other(String)
    }

    package var kind: Kind
    /// Seconds after which the server may be asked again.
    package var retryAfter: Double?
    /// The server's numeric address; `nil` when it was not reached.
    package var serverAddress: String?
    /// Bytes of the resource, if the server refused a range (416) and reported them.
    package var size: Int?
    /// The entity tag that came with a refusal.
    package var entityTag: String?
    /// The proxy that failed, as `host:port`; `nil` when it was the server.
    package var proxy: String?
    /// Whether this machine had no network.
    package var isOffline = false
    /// Whether a name server has said that there is no such host.
    package var isUnknownHost = false
    /// Whether the client watches the port, and ends a wait when the host accepts connections again.
    package var isWatched = false

    package init(_ kind: Kind, retryAfter: Double? = nil, serverAddress: String? = nil) {
        self.kind = kind
        self.retryAfter = retryAfter
        self.serverAddress = serverAddress
    }
}

extension HTTPError {
    /// Whether a later attempt may succeed.
    package var isTemporary: Bool {
        switch kind {
        case .resolving, .connecting, .unanswered, .tls, .reset, .closedEarly, .silent, .slow: true
        case .status(let status, _):
            status >= 500 && status != 501 && status != 505 || [408, 425, 429].contains(status)
        case .certificate, .redirects, .malformed, .refused, .changed, .tooLarge, .interrupted, .other: false
        }
    }

    /// Whether the host has refused to connect, or does not exist: a definite answer.
    var isRefusal: Bool {
        switch kind {
        case .connecting(let code): code == ECONNREFUSED
        case .resolving: isUnknownHost
        default: false
        }
    }

    /// Whether the host was not reached, which may be for want of a network.
    var isOfUnreachableHost: Bool {
        switch kind {
        case .connecting(let code): code == ENETUNREACH || code == EHOSTUNREACH
        case .resolving, .unanswered: true
        default: false
        }
    }

    /// The HTTP status; `nil` without a response.
    package var status: Int? { if case .status(let status, _) = kind { status } else { nil } }

    /// Where it occurred, for `StreamFailure`: `DNS`, `TCP`, `TLS` or `HTTP`.
    package var domain: String {
        switch kind {
        case .resolving: "DNS"
        case .connecting, .unanswered, .reset, .closedEarly, .silent, .slow: "TCP"
        case .tls, .certificate: "TLS"
        case .status, .redirects, .malformed, .refused, .changed, .tooLarge, .interrupted, .other: "HTTP"
        }
    }
}
