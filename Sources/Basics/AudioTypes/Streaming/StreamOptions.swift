/// How media of the network are read, as a person or a configuration says.
package struct StreamOptions: Sendable, Hashable {
    /// Seconds read ahead of what is heard (AVPlayerItem's `preferredForwardBufferDuration`); `nil` is Segue's own choice.
    package var preferredForwardBuffer: Double?
    /// Seconds for which a lost stream is tried again before it fails; `nil`: 600 for media with an end, for ever for live
    /// ones.
    ///
    /// Infinity is for ever.
    package var reconnectLimit: Double?
    /// Bits per second that a variant of a stream may have (AVPlayerItem's `preferredPeakBitRate`); `nil` is no limit.
    package var preferredPeakBitRate: Int?
    /// Whether a player waits for enough to be there to play on for a while, instead of pausing when it runs dry
    /// (AVPlayer's `automaticallyWaitsToMinimizeStalling`).
    package var automaticallyWaits = true
    package var http = HTTPOptions()
    /// A file that gets the stream as it comes, not encoded anew; its suffix says the container.
    package var recording: String?

    package init() {}
}

/// What is said to HTTP servers, and expected of them.
package struct HTTPOptions: Sendable, Hashable {
    /// `nil` is Segue's own name and version.
    package var userAgent: String?
    /// Sent with every request to the host that was asked for, and to no other.
    package var headers: [Header] = []
    /// Whether a server has to prove who it is; without, anybody in between can listen and lie.
    package var verifiesCertificates = true
    /// Seconds without a byte after which a connection counts as lost.
    package var silenceLimit: Double = 10

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
