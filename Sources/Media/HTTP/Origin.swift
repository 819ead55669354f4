/// What may be opened from inside of what.
package enum Origin {
    /// What a file of this machine may name: other files, and the network.
    private static let fromHere: Set<String> = [
        "file", "http", "https", "rtsp", "rtsps", "rtp", "srt", "rtmp", "rtmps", "mms", "mmsh", "mmst", "udp",
    ]
    /// What comes over the network may name what is fetched over HTTP, and nothing of this machine.
    private static let fromNetwork: Set<String> = ["http", "https"]

    /// Whether a location with `scheme` may be opened because something at `origin` names it.
    ///
    /// - Parameters:
    ///   - scheme: Of the location, resolved against its origin.
    ///   - origin: A URL or its scheme alone; anything else is a file's path.
    package static func allows(_ scheme: String, from origin: String) -> Bool {
        let scheme = scheme.lowercased()
        let colon = origin.firstIndex(of: ":")
        let isAlone = colon == nil && origin.allSatisfy { $0.isLetter }
        let own = (colon.map { origin[..<$0] } ?? (isAlone ? origin[...] : "file")).lowercased()
        let isHere = own == "file" || own.contains("/") || colon.map { !origin[$0...].hasPrefix("://") } ?? !isAlone
        return (isHere ? fromHere : fromNetwork).contains(scheme)
    }
}
