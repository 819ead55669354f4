package import LineProtocol
internal import Playlists
internal import ServerBasics
package import ServerRooms
package import Settings
package import Songs
internal import Zones

extension Rooms {
    /// Throws unless there is room in the queues for songs.
    ///
    /// - Parameter removed: In bytes, what goes in exchange.
    package func requireRoom(for songs: [Song], besides removed: Int = 0, _ limits: Limits) throws(AckError) {
        var bytes = queueBytes - removed
        for song in songs {
            bytes += song.byteCount
            if song.byteCount > limits.maxURIBytes, song.uri.utf8.count > limits.maxURIBytes {
                throw exceeds("max-uri-size", limits.maxURIBytes)
            }
        }
        if bytes > limits.maxQueueBytes { throw exceeds("max-queue-size", limits.maxQueueBytes, .queueFull) }
    }
}
