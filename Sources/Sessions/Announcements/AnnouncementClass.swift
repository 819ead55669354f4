/// The urgency of an announcement; higher classes play first.
package enum AnnouncementClass: String, Sendable, Hashable, CaseIterable {
    case normal
    case assistant
    case alarm
}

extension AnnouncementClass: Comparable {
    package static func < (left: Self, right: Self) -> Bool { left.rank < right.rank }

    private var rank: Int {
        switch self {
        case .normal: 0
        case .assistant: 1
        case .alarm: 2
        }
    }
}
