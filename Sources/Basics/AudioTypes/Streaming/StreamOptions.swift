package import Charsets

/// How network media are read, as set by a person or the configuration.
package struct StreamOptions: Sendable, Hashable {
    /// Seconds read ahead of the heard time (AVPlayerItem's `preferredForwardBufferDuration`); `nil` is Segue's own
    /// choice.
    package var preferredForwardBuffer: Double?
    /// Seconds of retries before a lost stream fails; `nil`: 600 for media with an end, no limit for live ones.
    ///
    /// Infinity is no limit.
    package var reconnectLimit: Double?
    /// Seconds until an address that has never answered is given up; `nil`: 15, and after two tries where the host
    /// refuses to connect or does not exist.
    ///
    /// Time without a network does not count. At most `reconnectLimit`; infinity is that limit.
    package var firstContactLimit: Double?
    /// Limit of a stream variant's bits per second (AVPlayerItem's `preferredPeakBitRate`); `nil` is no limit.
    package var preferredPeakBitRate: Int?
    /// Whether a player waits until enough is buffered to play on for a while, instead of pausing when it runs dry
    /// (AVPlayer's `automaticallyWaitsToMinimizeStalling`).
    package var automaticallyWaits = true
    package var http = HTTPOptions()
    /// The character sets of titles and tags that declare none.
    package var charsets = CharsetRules()
    /// A file to record the stream to, without re-encoding; its suffix selects the container.
    package var recording: String?

    package init() {}
}

/// How to talk to HTTP servers.
package struct HTTPOptions: Sendable, Hashable {
    /// `nil` is Segue's own name and version.
    package var userAgent: String?
    /// Sent with every request to the host that was requested, and to no other.
    package var headers: [Header] = []
    /// Whether to verify servers' certificates; otherwise an attacker in between can read and forge everything.
    package var verifiesCertificates = true
    /// Seconds without a byte after which a connection counts as lost.
    package var silenceLimit: Double = 10
    /// The access rights of the requests; for a medium, its entry has them.
    package var access = NetworkAccess()

    package struct Header: Sendable, Hashable {
        package var name: String
        package var value: String
        package init(name: String, value: String) {
            self.name = name
            self.value = value
        }
    }

    package init() {}
}
