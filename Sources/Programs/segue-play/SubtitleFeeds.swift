import MediaCoding
import Playback
import Synchronization

/// The subtitles in the media of the items, while they are near to being played; used by any thread.
final class SubtitleFeeds: Sendable {
    private let feeds = Mutex<[(id: PlayerItem.ID, feed: SubtitleFeed)]>([])

    /// The item that is heard, and those that are decoded ahead of it.
    private static let limit = 8

    /// The feed of an item, made when it is asked for first.
    @Sendable
    func feed(for id: PlayerItem.ID) -> SubtitleFeed? {
        feeds.withLock { feeds in
            if let known = feeds.first(where: { $0.id == id }) { return known.feed }
            let feed = SubtitleFeed()
            if feeds.count >= Self.limit { feeds.removeFirst() }
            feeds.append((id, feed))
            return feed
        }
    }
}
