/// Decides which announcement plays next at each place, and keeps the outcome of each.
///
/// A place is a sink: it plays one announcement at a time, which no other cuts off. The next is the one of the highest
/// class, then of the highest priority, then the earliest. An announcement for several places has a part at each, and
/// they play independently of each other.
///
/// The owner asks for the `next` at a free place, calls `start` when it begins and `finish` when it ends. The owner
/// also supplies the time, on any clock that does not jump.
package struct AnnouncementQueue: Sendable {
    /// How many of the same class or higher may wait: any number of door bells never keeps an alarm out.
    package var limit: Int

    /// Unfinished announcements, in playing order.
    private var live: [Entry] = []
    /// Finished announcements, the latest last.
    private var ended: [AnnouncementReport] = []

    /// How many finished announcements are kept.
    package static let memory = 100

    package init(limit: Int = 100) { self.limit = limit }
}

extension AnnouncementQueue {
    /// An unfinished announcement, with its state at each of its places.
    private struct Entry {
        private(set) var announcement: Announcement
        var parts: [String: AnnouncementState]

        init(_ announcement: Announcement) {
            self.announcement = announcement
            parts = Dictionary(announcement.places.map { ($0, .queued) }) { first, _ in first }
        }

        var state: AnnouncementState { AnnouncementState(ofParts: announcement.places.compactMap { parts[$0] }) }
        var report: AnnouncementReport { AnnouncementReport(announcement: announcement, state: state) }
        /// Whether any part has not started.
        var isWaiting: Bool { parts.values.contains(.queued) }

        /// Lets a part that waits at one place wait at another.
        mutating func move(from old: String, to new: String, keepsOld: Bool) {
            guard parts[old] == .queued, old != new else { return }
            if !keepsOld {
                parts[old] = nil
                announcement.places.removeAll { $0 == old }
            }
            guard parts[new] == nil else { return }
            parts[new] = .queued
            announcement.places.append(new)
        }

        /// Ends the parts that are in a given state.
        mutating func end(_ state: AnnouncementState, as outcome: AnnouncementState) {
            for (place, part) in parts where part == state { parts[place] = outcome }
        }
    }

    // MARK: Queries

    /// All known announcements: playing and waiting ones in playing order, then finished ones, the latest first.
    package var reports: [AnnouncementReport] { live.map(\.report) + ended.reversed() }

    /// Unfinished announcements, in playing order.
    package var pending: [AnnouncementReport] { live.map(\.report) }

    /// - Returns: `nil` for an unknown or forgotten one.
    package func report(_ id: Announcement.ID) -> AnnouncementReport? {
        live.first { $0.announcement.id == id }?.report ?? ended.last { $0.announcement.id == id }
    }

    /// The announcement playing at a place.
    package func playing(at place: String) -> Announcement? {
        live.first { $0.parts[place] == .playing }?.announcement
    }

    /// An announcement's state at one of its places; `nil` when it has ended everywhere.
    package func state(of id: Announcement.ID, at place: String) -> AnnouncementState? {
        live.first { $0.announcement.id == id }?.parts[place]
    }

    /// Whether nothing plays or waits.
    package var isIdle: Bool { live.isEmpty }

    /// When to call `expire` next; `nil` while no waiting announcement can expire.
    package var nextDeadline: Duration? { live.filter(\.isWaiting).compactMap(\.announcement.expiry).min() }

    /// The announcement to play next at a place; `nil` while one plays there, and when none waits.
    package func next(for place: String, now: Duration) -> Announcement? {
        guard playing(at: place) == nil else { return nil }
        return live.first { $0.parts[place] == .queued && !$0.announcement.isExpired(at: now) }?.announcement
    }

    // MARK: Changes

    /// Adds an announcement.
    ///
    /// One that has expired already is added too, and ends at the next `expire`.
    package mutating func add(_ announcement: Announcement) throws(AnnouncementRefusal) {
        guard !announcement.places.isEmpty else { throw .noPlace(id: announcement.id) }
        guard report(announcement.id) == nil else { throw .numberIsTaken(id: announcement.id) }
        guard waiting(from: announcement.announcementClass) < limit else { throw .queueIsFull(limit: limit) }
        let position = live.firstIndex { announcement.precedes($0.announcement) } ?? live.endIndex
        live.insert(Entry(announcement), at: position)
    }

    /// Marks an announcement as playing at a place.
    ///
    /// - Returns: Whether it may play: it waits there, and no other plays there.
    package mutating func start(_ id: Announcement.ID, at place: String) -> Bool {
        guard playing(at: place) == nil, let index = index(of: id), live[index].parts[place] == .queued else {
            return false
        }
        live[index].parts[place] = .playing
        return true
    }

    /// Lets an announcement that waits at one place wait at another, in the order there.
    ///
    /// - Parameter keepsOld: Whether it is to be heard at the first place too.
    package mutating func move(_ id: Announcement.ID, from old: String, to new: String, keepsOld: Bool) {
        if let index = index(of: id) { live[index].move(from: old, to: new, keepsOld: keepsOld) }
    }

    /// Marks an announcement as ended at a place where it played, or was about to.
    ///
    /// Ignored if it has ended there already, so that a late report does no harm.
    ///
    /// - Parameter failure: `nil` when it played to its end, else the reason; one that did not start cannot have
    ///   played.
    /// - Returns: The announcement, when that was its last part.
    package mutating func finish(
        _ id: Announcement.ID,
        at place: String,
        failure: String? = nil
    ) -> AnnouncementReport? {
        guard let index = index(of: id), let part = live[index].parts[place], !part.isFinal else { return nil }
        guard part == .playing || failure != nil else { return nil }
        live[index].parts[place] = failure.map { .failed($0) } ?? .done
        return settle().first
    }

    /// The effects of ending announcements.
    package struct Ending: Sendable, Hashable {
        /// A part that was playing, and must be silenced now.
        package struct Part: Sendable, Hashable {
            package let id: Announcement.ID
            package let place: String

            package init(id: Announcement.ID, place: String) {
                self.id = id
                self.place = place
            }
        }

        package var ended: [AnnouncementReport] = []
        package var silenced: [Part] = []
    }

    /// Cancels an announcement everywhere.
    ///
    /// Its places are free at once; the owner silences its parts before starting the next.
    ///
    /// - Returns: `nil` when there is no such announcement, or it has ended.
    package mutating func cancel(_ id: Announcement.ID) -> Ending? { end(id, as: .cancelled) }

    /// Cancels all announcements.
    package mutating func cancelAll() -> Ending { end(Array(live.indices), as: .cancelled) }

    /// Fails an announcement everywhere, for example because its text cannot be synthesized.
    ///
    /// - Returns: `nil` when there is no such announcement, or it has ended.
    package mutating func fail(_ id: Announcement.ID, because reason: String) -> Ending? {
        end(id, as: .failed(reason))
    }

    private mutating func end(_ id: Announcement.ID, as outcome: AnnouncementState) -> Ending? {
        index(of: id).map { end([$0], as: outcome) }
    }

    private mutating func end(_ indices: [Int], as outcome: AnnouncementState) -> Ending {
        var result = Ending()
        for index in indices {
            let entry = live[index]
            for place in entry.announcement.places where entry.parts[place] == .playing {
                result.silenced.append(.init(id: entry.announcement.id, place: place))
            }
            live[index].end(.playing, as: outcome)
            live[index].end(.queued, as: outcome)
        }
        result.ended = settle()
        return result
    }

    /// Ends the parts at a place that no longer exists.
    ///
    /// - Returns: The announcements that have ended as a result.
    package mutating func abandon(_ place: String, because reason: String) -> [AnnouncementReport] {
        for index in live.indices where live[index].parts[place]?.isFinal == false {
            live[index].parts[place] = .failed(reason)
        }
        return settle()
    }

    /// Ends the waiting announcements that have expired; playing ones play on.
    ///
    /// - Returns: The announcements that have ended as a result.
    package mutating func expire(now: Duration) -> [AnnouncementReport] {
        for index in live.indices where live[index].announcement.isExpired(at: now) {
            live[index].end(.queued, as: .expired)
        }
        return settle()
    }

    /// How many announcements of a class or higher have not started.
    private func waiting(from lowest: AnnouncementClass) -> Int {
        live.count { $0.announcement.announcementClass >= lowest && $0.state == .queued }
    }

    private func index(of id: Announcement.ID) -> Int? { live.firstIndex { $0.announcement.id == id } }

    /// Moves finished announcements to the history.
    private mutating func settle() -> [AnnouncementReport] {
        let over = live.map(\.report).filter(\.state.isFinal)
        guard !over.isEmpty else { return [] }
        live.removeAll { $0.state.isFinal }
        ended = (ended + over).suffix(Self.memory)
        return over
    }
}
