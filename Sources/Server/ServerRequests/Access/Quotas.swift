internal import Authorization
package import LineProtocol
package import NIOCore
package import Playlists
internal import ServerBasics
internal import ServerRights
internal import Zones

/// How much clients with quotas have added and announced.
///
/// Belongs to the server's event loop.
package final class Quotas {
    private var songs = RateCounts(span: 3_600)
    private var announcements = RateCounts(span: 60)
    private let loop: any EventLoop

    package init(_ loop: any EventLoop) { self.loop = loop }

    private var now: Double { loop.hostTime.seconds }

    /// Throws unless a client may add so many songs: within an hour, and to the zone's queue.
    package func requireSongs(_ count: Int, for client: Client) throws(AckError) {
        let (rights, name) = (client.rights, client.identity.name)
        if let most = rights.limits.hourlySongs, songs.count(of: name, at: now) + count > most {
            throw AckError(.queueFull, "\(name) may add \(most) songs an hour", isRefusal: true)
        }
        if let most = rights.songs, client.zone.queue.count(ofOwner: name) + count > most {
            throw AckError(.queueFull, "\(name) may have \(most) songs in the queue", isRefusal: true)
        }
    }

    package func songsAdded(_ count: Int, by client: Client) {
        guard client.rights.limits.hourlySongs != nil else { return }
        songs.add(count, of: client.identity.name, at: now)
    }

    /// Throws unless a client may make one more announcement within a minute.
    package func requireAnnouncement(for client: Client) throws(AckError) {
        guard let most = client.rights.limits.announcements else { return }
        let name = client.identity.name
        guard announcements.count(of: name, at: now) < most else {
            let text = "resourceNotAvailable: \(name) may make \(most) announcements a minute"
            throw AckError(.system, text, isRefusal: true)
        }
    }

    package func announced(by client: Client) {
        guard client.rights.limits.announcements != nil else { return }
        announcements.add(1, of: client.identity.name, at: now)
    }
}

extension Client {
    /// Where songs are added that take turns: behind the first so many of each other owner that wait; `nil` for the end.
    ///
    /// Entries whose owner is not recorded keep their places.
    package var fairPosition: Int? {
        guard rights.limits.takesTurns, !permissions.contains(.add) else { return nil }
        return zone.queue.fairPosition(for: identity.name)
    }

    /// The volume that the client gets when it asks for one.
    package func permitted(volume: Int) -> Int { min(volume, rights.limits.volume(in: zone.name)) }

    /// Throws when the client asks for more than it may set.
    package func require(speed rate: Double) throws(AckError) {
        guard let most = rights.limits.speed, rate > most else { return }
        throw AckError(.permission, "\(identity.name) may set a speed of at most \(short(most))")
    }
}

extension PlayQueue {
    /// Where an owner's next song goes when owners take turns: before the first entry that waits and is, of its owner's,
    /// later by two than those that the owner has there.
    package func fairPosition(for owner: String) -> Int? {
        var turns: [String: Int] = [:]
        let first = current.map { $0 + 1 } ?? 0
        let own = (first..<max(first, count)).count { self.owner(at: $0) == owner }
        for position in first..<max(first, count) {
            guard let other = self.owner(at: position) else { continue }
            turns[other, default: 0] += 1
            if other != owner, turns[other, default: 0] > own + 1 { return position }
        }
        return nil
    }
}
