/// A kind of address that libavformat fetches by itself.
struct StreamScheme: Sendable, Hashable {
    let name: String
    /// libavformat's names of what such an address, and whatever is found there, may be opened through.
    ///
    /// Nothing among them opens files, pipes or programs of this machine, or is a wrapper around other addresses.
    let protocols: [String]

    /// - Returns: `nil` for what is not played from.
    init?(of location: String) {
        guard let end = location.firstRange(of: "://")?.lowerBound else { return nil }
        self.init(named: location[..<end].lowercased())
    }

    init?(named name: String) {
        guard let needed = Self.needs[name] else { return nil }
        self.name = name
        protocols = [name] + needed
    }

    /// Whether it leads to something that ends by itself, rather than to what comes for as long as it is sent.
    var isOfFiles: Bool { ["ftp", "gopher", "gophers", "http", "https", "sftp"].contains(name) }

    /// Whether nobody is there to be connected to: what comes, comes.
    var isConnectionless: Bool { ["rtp", "srtp", "udp", "udplite"].contains(name) }

    /// Whether `timeout` is how long one waits for bytes, in microseconds.
    ///
    /// RTMP's are seconds for which one waits to be called.
    var hasTimeout: Bool { !name.hasPrefix("rtmp") }

    private static let secured = ["tls", "tcp", "httpproxy"]

    /// What each scheme stands on.
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
