/// Decides which announcement is heard next at each place, and remembers how each ended.
///
/// A place is a sink: at each one announcement is heard at a time, and it is never cut off by another. The next is the one
/// of the highest class, then of the highest priority, then the earliest. An announcement for several places has a part
/// at each, and they are heard independently of each other.
///
/// The owner asks for the `next` at a place that is free, says `start` when it begins and `finish` when it ends. Time is
/// told by the owner too, on any clock that does not jump.
package struct AnnouncementQueue: Sendable {
    /// How many of the same class, or of higher ones, may wait: many door bells never keep an alarm out.
    package var limit: Int

    /// Those that have not ended, in the order in which they are heard.
    private var live: [Entry] = []
    /// Those that have, the latest last.
    private var ended: [AnnouncementReport] = []

    /// How many of those that ended are remembered.
    package static let memory = 100

    package init(limit: Int = 100) { self.limit = limit }
}

extension AnnouncementQueue {
    /// One that has not ended, and how far it is at each of its places.
    private struct Entry {
        let announcement: Announcement
        var parts: [String: AnnouncementState]

        init(_ announcement: Announcement) {
            self.announcement = announcement
            parts = Dictionary(announcement.places.map { ($0, .queued) }) { first, _ in first }
        }

        var state: AnnouncementState { AnnouncementState(ofParts: announcement.places.compactMap { parts[$0] }) }
        var report: AnnouncementReport { AnnouncementReport(announcement: announcement, state: state) }
        /// Where something is still to be heard.
        var isWaiting: Bool { parts.values.contains(.queued) }

        /// Ends the parts that are in a state.
        mutating func end(_ state: AnnouncementState, as outcome: AnnouncementState) {
            for (place, part) in parts where part == state { parts[place] = outcome }
        }
    }

    // MARK: Looking

    /// All that are remembered: those that play and wait in the order in which they are heard, then those that ended,
    /// the latest first.
    package var reports: [AnnouncementReport] { live.map(\.report) + ended.reversed() }

    /// Those that have not ended, in the order in which they are heard.
    package var pending: [AnnouncementReport] { live.map(\.report) }

    /// - Returns: `nil` for one that never was, or has been forgotten.
    package func report(_ id: Announcement.ID) -> AnnouncementReport? {
        live.first { $0.announcement.id == id }?.report ?? ended.last { $0.announcement.id == id }
    }

    /// What is heard at a place.
    package func playing(at place: String) -> Announcement? {
        live.first { $0.parts[place] == .playing }?.announcement
    }

    /// How far an announcement is at one of its places; `nil` when it has ended everywhere.
    package func state(of id: Announcement.ID, at place: String) -> AnnouncementState? {
        live.first { $0.announcement.id == id }?.parts[place]
    }

    /// Whether nothing plays or waits.
    package var isIdle: Bool { live.isEmpty }

    /// When `expire` is to be called next; `nil` while nothing that waits can expire.
    package var nextDeadline: Duration? { live.filter(\.isWaiting).compactMap(\.announcement.expiry).min() }

    /// What is to be heard next at a place; `nil` while something is heard there, and when nothing waits.
    package func next(for place: String, now: Duration) -> Announcement? {
        guard playing(at: place) == nil else { return nil }
        return live.first { $0.parts[place] == .queued && !$0.announcement.isExpired(at: now) }?.announcement
    }

    // MARK: Changing

    /// Takes an announcement.
    ///
    /// One that has expired already is taken too, and ends at the next `expire`.
    package mutating func add(_ announcement: Announcement) throws(AnnouncementRefusal) {
        guard !announcement.places.isEmpty else { throw .noPlace(id: announcement.id) }
        guard report(announcement.id) == nil else { throw .numberIsTaken(id: announcement.id) }
        guard waiting(from: announcement.announcementClass) < limit else { throw .queueIsFull(limit: limit) }
        let position = live.firstIndex { announcement.precedes($0.announcement) } ?? live.endIndex
        live.insert(Entry(announcement), at: position)
    }

    /// Notes that an announcement begins to be heard at a place.
    ///
    /// - Returns: Whether it may: it waits there, and nothing else is heard there.
    package mutating func start(_ id: Announcement.ID, at place: String) -> Bool {
        guard playing(at: place) == nil, let index = index(of: id), live[index].parts[place] == .queued else {
            return false
        }
        live[index].parts[place] = .playing
        return true
    }

    /// Notes that an announcement has ended at a place where it was heard, or was about to be.
    ///
    /// What is said of one that has ended there already is ignored, so that a late word does no harm.
    ///
    /// - Parameter failure: `nil` when all of it was heard, else why not; one that did not start cannot have been heard.
    /// - Returns: The announcement, when that was the end of its last part.
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

    /// What ending announcements did.
    package struct Ending: Sendable, Hashable {
        /// A part that was being heard, and is to be silenced now.
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

    /// Ends an announcement everywhere because somebody wants it no more.
    ///
    /// Its places are free at once; the owner silences what is heard of it before it starts the next.
    ///
    /// - Returns: `nil` when there is no such announcement, or it has ended.
    package mutating func cancel(_ id: Announcement.ID) -> Ending? { end(id, as: .cancelled) }

    /// Ends all announcements.
    package mutating func cancelAll() -> Ending { end(Array(live.indices), as: .cancelled) }

    /// Ends an announcement everywhere because it cannot be heard anywhere, as when its text cannot be spoken.
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

    /// Ends what was to be heard at a place that is no more.
    ///
    /// - Returns: The announcements that have ended by that.
    package mutating func abandon(_ place: String, because reason: String) -> [AnnouncementReport] {
        for index in live.indices where live[index].parts[place]?.isFinal == false {
            live[index].parts[place] = .failed(reason)
        }
        return settle()
    }

    /// Ends what has waited too long; what is being heard goes on.
    ///
    /// - Returns: The announcements that have ended by that.
    package mutating func expire(now: Duration) -> [AnnouncementReport] {
        for index in live.indices where live[index].announcement.isExpired(at: now) {
            live[index].end(.queued, as: .expired)
        }
        return settle()
    }

    /// How many of a class or a higher one have not begun.
    private func waiting(from lowest: AnnouncementClass) -> Int {
        live.count { $0.announcement.announcementClass >= lowest && $0.state == .queued }
    }

    private func index(of id: Announcement.ID) -> Int? { live.firstIndex { $0.announcement.id == id } }

    /// Moves those that have ended to the memory.
    private mutating func settle() -> [AnnouncementReport] {
        let over = live.map(\.report).filter(\.state.isFinal)
        guard !over.isEmpty else { return [] }
        live.removeAll { $0.state.isFinal }
        ended = (ended + over).suffix(Self.memory)
        return over
    }
}
