/// Why an announcement was refused.
package enum AnnouncementRefusal: Error, Sendable, Hashable {
    case queueIsFull(limit: Int)
    /// It has no place to play.
    case noPlace(id: Int)
    /// The number was used before.
    case numberIsTaken(id: Int)
}

extension AnnouncementRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .queueIsFull(let limit):
            "\(limit) announcements are waiting already: cancel some, or raise max-queued in the configuration"
        case .noPlace(let id): "announcement \(id) has no zone to play in: name one with an output"
        case .numberIsTaken(let id): "there is an announcement \(id) already"
        }
    }
}
