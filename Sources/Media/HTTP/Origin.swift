/// The locations that a document may refer to, depending on its own origin.
package enum Origin {
    /// Schemes allowed in a local file: other files, and the network.
    private static let fromHere: Set<String> = [
        "file", "http", "https", "rtsp", "rtsps", "rtp", "srt", "rtmp", "rtmps", "mms", "mmsh", "mmst", "udp",
    ]
    /// Schemes allowed in documents from the network: HTTP only, and nothing of this machine.
    private static let fromNetwork: Set<String> = ["http", "https"]

    /// Whether a location with `scheme` may be opened because a document at `origin` refers to it.
    ///
    /// - Parameters:
    ///   - scheme: The location's scheme, resolved against its origin.
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
