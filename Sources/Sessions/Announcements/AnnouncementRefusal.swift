/// Why an announcement was not taken.
package enum AnnouncementRefusal: Error, Sendable, Hashable {
    case queueIsFull(limit: Int)
    /// It is to be heard nowhere.
    case noPlace(id: Int)
    /// The number has been given before.
    case numberIsTaken(id: Int)
}

extension AnnouncementRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .queueIsFull(let limit):
            "\(limit) announcements wait already: cancel some, or raise max-queued in the configuration"
        case .noPlace(let id): "announcement \(id) has no zone to be heard in: name one that has an output"
        case .numberIsTaken(let id): "there is an announcement \(id) already"
        }
    }
}
