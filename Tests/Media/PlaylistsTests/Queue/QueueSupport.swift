import Playlists
import Songs

func song(_ uri: String, seconds: Double? = nil) -> Song { Song(uri: uri, duration: seconds) }

/// A queue of songs named `a`, `b` and so on, with the ids 1, 2 and so on.
func queue(_ count: Int, seed: UInt64 = 1) -> PlayQueue {
    var queue = PlayQueue(seed: seed)
    queue.append((0..<count).map { song(String(UnicodeScalar(UInt8(97 + $0 % 26)))) })
    return queue
}

extension PlayQueue {
    var ids: [UInt32] { (0..<count).map { self[$0].id } }

    var uris: String { (0..<count).map { self[$0].song.uri }.joined() }

    /// The ids of what comes from the current song on, until the round ends.
    var ahead: [UInt32] {
        var queue = self
        queue.setRepeat(false)
        queue.setConsume(.off)
        _ = queue.play()
        var ids: [UInt32] = []
        while let id = queue.currentEntry?.id, ids.count <= count {
            ids.append(id)
            _ = queue.next()
        }
        return ids
    }

    /// The ids of what was before the current song, the last first.
    var behind: [UInt32] {
        var queue = self
        queue.setRepeat(false)
        _ = queue.play()
        var ids: [UInt32] = []
        while let id = queue.currentEntry?.id, ids.count <= count {
            _ = queue.previous()
            guard let before = queue.currentEntry?.id, before != id else { break }
            ids.append(before)
        }
        return ids
    }
}
