internal import AudioTypes

/// A URL scheme that libavformat fetches by itself.
struct StreamScheme: Sendable, Hashable {
    let name: String
    /// libavformat's protocols that are allowed for such a URL, and for everything found there.
    ///
    /// None of them opens files, pipes or programs of this machine, or wraps other URLs.
    let protocols: [String]

    /// - Returns: `nil` for a scheme that is not supported.
    init?(of location: String) {
        guard let end = location.firstRange(of: "://")?.lowerBound else { return nil }
        self.init(named: location[..<end].lowercased())
    }

    init?(named name: String) {
        guard let needed = Self.needs[name] else { return nil }
        self.name = name
        protocols = [name] + needed
    }

    /// Whether it refers to files with an end, rather than to a stream that lasts as long as it is sent.
    var isOfFiles: Bool { ["ftp", "gopher", "gophers", "http", "https", "sftp"].contains(name) }

    /// Whether there is no connection to establish: packets simply arrive.
    var isConnectionless: Bool { ["rtp", "srtp", "udp", "udplite"].contains(name) }

    /// Whether `timeout` is the time to wait for data, in microseconds.
    ///
    /// RTMP's is in seconds, and the time to listen for a connection.
    var hasTimeout: Bool { !name.hasPrefix("rtmp") }

    private static let secured = ["tls", "tcp", "httpproxy"]

    /// The protocols that each scheme needs.
    private static let needs = [
        "ftp": ["tcp"],
        "gopher": ["tcp"],
        "gophers": secured,
        "http": ["https", "crypto"] + secured,
        "https": ["http", "crypto"] + secured,
        "mmsh": ["http", "httpproxy", "tcp"],
        "mmst": ["tcp"],
        "rist": [],
        "rtmp": ["tcp"],
        "rtmpe": ["ffrtmpcrypt", "tcp"],
        "rtmps": secured,
        "rtmpt": ["ffrtmphttp", "http", "httpproxy", "tcp"],
        "rtmpte": ["ffrtmpcrypt", "ffrtmphttp", "http", "httpproxy", "tcp"],
        "rtmpts": ["ffrtmphttp", "https"] + secured,
        "rtp": ["udp"],
        "rtsp": ["rtp", "udp", "tcp"],
        "rtsps": ["rtp", "srtp", "udp"] + secured,
        "sctp": [],
        "sftp": [],
        "srt": [],
        "srtp": ["rtp", "udp"],
        "udp": [],
        "udplite": [],
    ]
}

extension StreamScheme {
    /// Why a URL is refused for the client that requested it; `nil` when it is allowed.
    ///
    /// The hosts that libavformat connects to are not visible: names may resolve differently by then, and RTSP has
    /// redirections. So for network clients it opens only what the configuration trusts.
    func refusal(of location: String, for access: NetworkAccess) -> MediaError.Reason? {
        guard access.policy.permits(scheme: name) else { return .protocolIsOff(name) }
        let address = StreamAddress(location)
        if address.waitsForSender, !access.policy.protocols.contains(NetworkPolicy.listening) {
            return .protocolIsOff(NetworkPolicy.listening)
        }
        if access.reach == .anywhere || access.policy.trusts(host: address.host) { return nil }
        return .notForClient(name)
    }
}

/// The parts of a URL that libavformat fetches itself, as split by its av_url_split.
struct StreamAddress: Sendable, Hashable {
    /// In lower case, without brackets.
    let host: String
    /// Whether the query makes this machine listen for a sender (SRT's `mode`, RTMP's and TCP's `listen`).
    let waitsForSender: Bool

    init(_ location: String) {
        let rest = location.firstRange(of: "://").map { location[$0.upperBound...] } ?? location[...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let place = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        if place.hasPrefix("[") {
            host = place.dropFirst().prefix { $0 != "]" }.lowercased()
        } else {
            host = place.prefix { $0 != ":" }.lowercased()
        }
        let query = rest.split(separator: "?", maxSplits: 1).dropFirst().first?.lowercased() ?? ""
        waitsForSender = query.split { $0 == "&" || $0 == "?" || $0 == " " }.contains { word in
            ["listen", "mode=listener", "mode=rendezvous", "mode=server"].contains(String(word))
                || word.hasPrefix("listen=")
        }
    }
}
