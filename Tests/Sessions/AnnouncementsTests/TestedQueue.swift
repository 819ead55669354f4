import Announcements

/// A queue that can be changed inside `#expect`, which takes no mutating calls.
@dynamicMemberLookup
final class TestedQueue {
    private var queue: AnnouncementQueue

    init(limit: Int = 100) { queue = AnnouncementQueue(limit: limit) }

    subscript<Value>(dynamicMember member: KeyPath<AnnouncementQueue, Value>) -> Value { queue[keyPath: member] }

    func report(_ id: Int) -> AnnouncementReport? { queue.report(id) }
    func playing(at place: String) -> Announcement? { queue.playing(at: place) }
    func state(of id: Int, at place: String) -> AnnouncementState? { queue.state(of: id, at: place) }
    func next(for place: String, now: Duration) -> Announcement? { queue.next(for: place, now: now) }

    func add(_ announcement: Announcement) throws(AnnouncementRefusal) { try queue.add(announcement) }
    func start(_ id: Int, at place: String) -> Bool { queue.start(id, at: place) }
    func finish(_ id: Int, at place: String, failure: String? = nil) -> AnnouncementReport? {
        queue.finish(id, at: place, failure: failure)
    }
    func cancel(_ id: Int) -> AnnouncementQueue.Ending? { queue.cancel(id) }
    func cancelAll() -> AnnouncementQueue.Ending { queue.cancelAll() }
    func fail(_ id: Int, because reason: String) -> AnnouncementQueue.Ending? { queue.fail(id, because: reason) }
    func abandon(_ place: String, because reason: String) -> [AnnouncementReport] {
        queue.abandon(place, because: reason)
    }
    func expire(now: Duration) -> [AnnouncementReport] { queue.expire(now: now) }
}
