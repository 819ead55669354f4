package import LibraryIndex
internal import LineProtocol
package import Playlists
internal import ServerRights
package import SongFilters
internal import Songs
internal import Zones

/// Stands for the URI of an entry that a client does not see.
package let privateEntry = "private"

/// The entries of queues of which a client sees more than that they are there.
package struct QueueView: Sendable {
    /// `nil` for all.
    package let visible: VisibleSongs?
    /// The owner whose entries are visible in any case.
    package let owner: String

    package init(visible: VisibleSongs?, owner: String) { (self.visible, self.owner) = (visible, owner) }

    package func shows(_ queue: PlayQueue, _ position: Int) -> Bool {
        guard let visible else { return true }
        let uri = queue[position].song.uri
        // Media at URLs are in no library: a client sees those that it has added itself.
        return hasScheme(uri) ? queue.owner(at: position) == owner : visible.contains(uri)
    }
}

extension Client {
    package var queueView: QueueView { QueueView(visible: visible, owner: identity.name) }

    /// Whether the client sees what is current in its zone; so it does where nothing is.
    package var seesCurrent: Bool {
        let queue = zone.queue
        return queue.current.map { queueView.shows(queue, $0) } ?? true
    }
}

/// The positions of the entries that a query finds among those that a client sees.
package func positions(in queue: PlayQueue, _ query: SongQuery, _ view: QueueView) throws -> [Int] {
    let shown = view.visible == nil ? Array(0..<queue.count) : (0..<queue.count).filter { view.shows(queue, $0) }
    return try query.select(shown, song: { queue[$0].song }, priority: { Int(queue[$0].priority) })
}
