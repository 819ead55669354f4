internal import LineProtocol
internal import Playlists
internal import ServerRooms
internal import Settings
internal import Songs
internal import Zones

/// How a request is refused that needs more than the configuration allows.
///
/// - Parameter limit: Its name in the table `limits`.
func exceeds(_ limit: String, _ value: Int, _ code: AckCode = .badArgument) -> AckError {
    AckError(code, "more than limits.\(limit) = \(value)")
}

extension ServerState {
    /// Throws unless there is room in the queues for songs.
    ///
    /// - Parameter removed: In bytes, what goes in exchange.
    func requireRoom(for songs: [Song], besides removed: Int = 0) throws(AckError) {
        var bytes = rooms.queueBytes - removed
        for song in songs {
            bytes += song.byteCount
            if song.byteCount > limits.maxURIBytes, song.uri.utf8.count > limits.maxURIBytes {
                throw exceeds("max-uri-size", limits.maxURIBytes)
            }
        }
        if bytes > limits.maxQueueBytes { throw exceeds("max-queue-size", limits.maxQueueBytes, .queueFull) }
    }
}
